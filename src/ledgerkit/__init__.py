"""Invoicing and light ERP for freelancers and small businesses."""

__version__ = "0.1.0"
