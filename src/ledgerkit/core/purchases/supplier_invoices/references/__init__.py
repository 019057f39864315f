"""References to supplier invoices by other documents."""
