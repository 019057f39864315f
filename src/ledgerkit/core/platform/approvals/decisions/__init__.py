"""Execution of what a person has approved."""
