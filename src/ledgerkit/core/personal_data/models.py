"""Exports that are being made or wait to be fetched, one for each person at most."""

from sqlalchemy import BigInteger, CheckConstraint, Column, DateTime, ForeignKey, Integer, Text, Uuid, func, text

from ledgerkit.core.database.tables import JSONB, reference_table

data_export = reference_table(
    "data_export",
    Column("id", Uuid, primary_key=True),
    Column("user_id", Uuid, ForeignKey("app_user.id", ondelete="CASCADE"), nullable=False, unique=True),
    Column("state", Text, nullable=False),
    Column("place", JSONB),
    Column("parts", Integer, nullable=False, server_default=text("0")),
    Column("size", BigInteger),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Column("ready_at", DateTime(timezone=True)),
    Column("expires_at", DateTime(timezone=True), nullable=False),
    CheckConstraint("state in ('making', 'ready', 'failed')", name="state"),
)
"""`place`: where the next part goes on; `parts`: how many lie on the disk. Whose user is gone, is gone too."""
