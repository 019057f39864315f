"""Payments of invoices."""
