"""Term of payment where neither an account nor a client nor a vendor states one."""

TERM_DAYS = 30
"""Days from the date of an invoice until it is due (interface decisions K1)."""
