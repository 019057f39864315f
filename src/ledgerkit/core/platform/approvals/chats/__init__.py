"""Proposals in chats: what a person has written is proposed to them, and they answer by a tap."""
