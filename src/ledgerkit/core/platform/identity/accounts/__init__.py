"""Accounts: their profiles, members, series, trials, and their end."""
