"""What an account has used of its AI actions this month, and what it has bought."""

from sqlalchemy import Column, Date, Integer, PrimaryKeyConstraint, text

from ledgerkit.core.database.tables import account_table

ai_balance = account_table(
    "ai_balance",
    Column("month", Date, nullable=False),
    Column("used", Integer, nullable=False, server_default=text("0")),
    Column("purchased", Integer, nullable=False, server_default=text("0")),
    PrimaryKeyConstraint("account_id"),
    keyed=False,
)
