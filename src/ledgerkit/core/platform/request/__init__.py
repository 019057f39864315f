"""One request: its context, its metadata, the gate of every operation, idempotency and permissions."""
