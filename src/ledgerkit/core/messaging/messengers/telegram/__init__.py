"""Telegram: a messenger over the Bot API."""
