"""Fields of what was read, within their bounds."""
