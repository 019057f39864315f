"""Rows of files: their text, their cells, typed rows, and the answer about them."""
