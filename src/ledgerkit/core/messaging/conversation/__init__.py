"""Conversation: what a person writes or taps becomes answers, proposals and acts."""
