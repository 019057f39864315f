"""Fiscal status of an emitted invoice."""
