"""Balance of AI actions: its ledger, and actions that are charged to it."""
