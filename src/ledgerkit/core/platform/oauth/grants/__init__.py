"""Grants of a person, and the removal of what has expired."""
