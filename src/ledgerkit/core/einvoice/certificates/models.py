"""The table of the accounts' own certificates."""

from sqlalchemy import Boolean, Column, DateTime, Integer, LargeBinary, Text, UniqueConstraint, Uuid

from ledgerkit.core.database.tables import account_table

fiscal_certificate = account_table(
    "fiscal_certificate",
    Column("content", LargeBinary, nullable=False),
    Column("holder", Text, nullable=False),
    Column("country", Text, nullable=False),
    Column("tax_id", Text, nullable=False),
    Column("issuer", Text, nullable=False),
    Column("serial", Text, nullable=False),
    Column("valid_from", DateTime(timezone=True), nullable=False),
    Column("valid_to", DateTime(timezone=True), nullable=False),
    Column("seal", Boolean, nullable=False),
    Column("signs", Boolean, nullable=False),
    Column("represents", Boolean, nullable=False),
    Column("warned_days", Integer),
    Column("user_id", Uuid),
    Column("user_name", Text, nullable=False),
    UniqueConstraint("account_id"),
)
"""The account's own certificate, one at most; its id is another one after each upload.

`content` is cipher (core/database/ciphers.py): certificate, chain and key. `represents`: its holder was not the issuer,
and was said to act for it. `warned_days`: the last step at which people were told that it runs out.
"""
