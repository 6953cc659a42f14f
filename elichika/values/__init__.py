"""What names hold where the value is known only when the model runs."""
