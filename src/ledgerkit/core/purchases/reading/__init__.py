"""Documents and words of purchases turned into records: receipts, supplier invoices, categories of expenses."""
