"""Readiness of an account and of a server for real invoices."""
