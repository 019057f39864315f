"""Supplier invoices: accounts payable."""
