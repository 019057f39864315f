"""Computation of a declaration from the books of one moment."""
