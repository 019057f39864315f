"""The team as issuer: its e-invoicing, regime and series."""
