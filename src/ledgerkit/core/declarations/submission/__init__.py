"""Submission of a declaration, and the file that is handed in."""
