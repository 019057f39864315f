"""Periodic tax declarations of Spain: the profile that they ask for, and one form each, as pure computations."""
