"""Electronic invoicing: the fiscal record of an issued document, its chain, and its way to the tax authority.

An emission is read in this order: `operations`, `issuance/numbers`, `issuance/seals`, `chain/heads`, `chain/append`,
`transmission/sender`. Below them lie `outbox` (pauses and incidents) and `certificates`; beside them `inspection`
(verification and exports) and `signed_mode` (records that are signed and stored instead of reported), which the others
reach through `modes/signed_mode_hooks` only.
"""
