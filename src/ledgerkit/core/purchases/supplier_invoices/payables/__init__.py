"""Accounts payable: totals by vendor and overviews."""
