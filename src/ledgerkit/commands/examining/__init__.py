"""Checks of `ledgerkit doctor`: each gives findings, a line each, and changes nothing."""
