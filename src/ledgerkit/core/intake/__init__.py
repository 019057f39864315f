"""Intake: documents of suppliers as images and PDFs, turned into pages, and pages into lines of text."""
