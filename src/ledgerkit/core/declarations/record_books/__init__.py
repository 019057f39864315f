"""Record books of a period, as files."""
