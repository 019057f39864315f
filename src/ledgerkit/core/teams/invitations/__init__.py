"""Invitations to a team: sent, shown and accepted."""
