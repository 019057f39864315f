"""Rehearsal of a proposed operation, and what is stored of it."""
