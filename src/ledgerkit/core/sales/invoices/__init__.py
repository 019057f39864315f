"""Invoices, credit notes and simplified invoices, from the draft to the public page.

Drafts: `drafting`, with `lines`, `buyers`, `fiscal_fields`, `origins`, `credit_notes`, `surcharges` and `margins`.
Issuing: `lifecycle`; changes afterwards: `edit_rules`, `authority_answers`. Payments: `payments`. What an issued
document counts for: `posting`. Printing: `rendering`, `mailing`. Public links: `sharing`, `share_tokens`. Reading:
`lists`, `representation`, `document`. What the rows store: `models`, `stored`, `content`.
"""
