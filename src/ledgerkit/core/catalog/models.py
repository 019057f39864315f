"""Tables of catalog."""
