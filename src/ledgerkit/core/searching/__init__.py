"""Search over the records of all domains at once."""
