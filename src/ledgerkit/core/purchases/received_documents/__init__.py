"""Received documents: what expenses and supplier invoices have in common."""
