"""Words and rules of the protocol, which read no table."""
