"""The table of the accounts' own certificates."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import Boolean, Column, DateTime, Integer, LargeBinary, Text, UniqueConstraint, Uuid

from ledgerkit.core.platform.database.row_types import AccountRow
from ledgerkit.core.platform.database.tables import account_table


class CertificateRow(AccountRow):
    content: bytes
    holder: str
    country: str
    tax_id: str
    issuer: str
    serial: str
    valid_from: datetime
    valid_to: datetime
    seal: bool
    signs: bool
    represents: bool
    warned_days: int | None
    user_id: UUID | None
    user_name: str


fiscal_certificate = account_table(
    "fiscal_certificate",
    CertificateRow,
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
"""The account's own certificate, one at most; each upload gives it a new id.

`content`: certificate, chain and key, encrypted (core/platform/database/ciphers.py). `represents`: its holder is not
the issuer and was declared to act for it. `warned_days`: the last of the warnings before its end that was given, in
days.
"""
