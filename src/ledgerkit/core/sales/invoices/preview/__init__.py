"""Preview of an invoice."""
