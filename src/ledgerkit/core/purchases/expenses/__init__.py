"""Expenses: what was spent, with its VAT and retention."""
