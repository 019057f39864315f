"""Totals of expenses by category and vendor."""
