"""Parts that any such server needs; none of them knows an invoice."""
