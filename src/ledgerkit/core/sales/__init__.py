"""Clients and the invoices to them."""
