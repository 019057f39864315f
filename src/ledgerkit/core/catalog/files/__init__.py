"""Items as files: exported, and imported row by row."""
