"""Trial of an account: what belongs to it, and its archive."""
