"""Files: their names and their media types."""
