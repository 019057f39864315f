"""Evidence: the documents behind the boxes of a declaration."""
