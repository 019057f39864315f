"""Two records of one vendor."""
