"""Transmission of records: messages to an authority in chain order, its answers, and questions after lost answers."""
