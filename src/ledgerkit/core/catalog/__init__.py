"""Catalog: what is sold, and the ledger of its stock."""
