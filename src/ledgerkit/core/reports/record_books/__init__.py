"""Record books of any country as files."""
