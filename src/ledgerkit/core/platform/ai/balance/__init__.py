"""Balance of AI actions: its ledger, its packs, and actions that are charged to it."""
