"""Delivery: updates are fetched and kept, handled once and in order for each chat, and answers are sent."""
