"""Receivables: what clients owe, by age, by client and by invoice."""
