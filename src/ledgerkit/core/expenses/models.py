"""Tables of expenses."""
