"""Readable draft of a declaration, as a PDF."""
