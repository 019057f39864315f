"""AI actions that an account has used this month, and those that it has bought."""

from datetime import date

from sqlalchemy import Column, Date, Integer, PrimaryKeyConstraint, text

from ledgerkit.core.database.row_types import VersionedRow
from ledgerkit.core.database.tables import account_table


class AiBalanceRow(VersionedRow):
    month: date
    used: int
    purchased: int


ai_balance = account_table(
    "ai_balance",
    AiBalanceRow,
    Column("month", Date, nullable=False),
    Column("used", Integer, nullable=False, server_default=text("0")),
    Column("purchased", Integer, nullable=False, server_default=text("0")),
    PrimaryKeyConstraint("account_id"),
    keyed=False,
)
