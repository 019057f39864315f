"""Mail of an invoice."""
