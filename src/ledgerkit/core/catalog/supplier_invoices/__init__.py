"""Goods of supplier invoices: found among the items, and taken into the catalog."""
