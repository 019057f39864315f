"""Invoices, credit notes and simplified invoices, from the draft to the public page.

Drafts: `input`, with `lines`, `content`, `dates` and `documents`; drafts of credit notes: `drafts`.
Issuing: `issuance`; changes afterwards: `changes`. Payments: `payments`. What an issued document counts for: `posting`.
Printing: `pdf`, `mail`. Public links: `public_links`, `link_tokens`. Reading: `queries`, `output`, `documents`. What
the rows store: `table`, `json_columns`, `content`.
"""
