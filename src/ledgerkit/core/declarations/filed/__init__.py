"""Declarations that were filed: their amounts, and those that were filed elsewhere."""
