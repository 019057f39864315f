"""Export of a person's data."""
