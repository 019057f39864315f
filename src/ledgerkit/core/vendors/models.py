"""Tables of vendors."""
