"""Public links to an invoice."""
