"""Notices: what the bot says of its own accord, once and to those who may read it."""
