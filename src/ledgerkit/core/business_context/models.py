"""Tables of business context."""
