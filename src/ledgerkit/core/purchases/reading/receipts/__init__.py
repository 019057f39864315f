"""Receipts, read into the fields of an expense."""
