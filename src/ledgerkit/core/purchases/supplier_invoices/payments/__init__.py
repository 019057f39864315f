"""Payments to suppliers."""
