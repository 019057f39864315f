"""Amounts of an expense."""
