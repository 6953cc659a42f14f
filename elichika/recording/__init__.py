"""What calls of a chain were given while a program ran: recorded, kept in files, compiled from."""
