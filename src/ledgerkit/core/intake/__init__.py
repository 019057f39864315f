"""Documents and words of purchases turned into records: receipts, supplier invoices, categories of expenses."""
"""Intake: documents of suppliers as images and PDFs, turned into pages, and pages into lines of text."""
