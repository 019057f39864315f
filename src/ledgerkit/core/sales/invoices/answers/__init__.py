"""Answers about invoices, beside the invoice itself."""
