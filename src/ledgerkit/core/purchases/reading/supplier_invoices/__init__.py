"""Supplier invoices: analysed, confirmed and recorded."""
