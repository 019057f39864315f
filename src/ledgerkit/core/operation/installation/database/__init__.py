"""Database of an installation: its setup and the list of all its tables."""
