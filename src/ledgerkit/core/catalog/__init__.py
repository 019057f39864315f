"""Catalog: items for sale, and the ledger of their stock."""
