"""Declarations that were filed: their amounts, their days, and those that were filed elsewhere."""
