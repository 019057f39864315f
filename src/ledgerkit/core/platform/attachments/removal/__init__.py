"""Removal of attachments and of their contents."""
