"""Steps of training, and gradients, of chains that know nothing of either."""
