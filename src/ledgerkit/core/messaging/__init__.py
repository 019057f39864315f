"""The business in a chat: messengers, the language of short messages, and conversations over the operations."""
