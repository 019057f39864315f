"""Messaging: the business in a chat. Whoever writes reads and proposes; nothing happens without a tap."""
