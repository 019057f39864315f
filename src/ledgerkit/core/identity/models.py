"""Users, accounts, memberships and keys: reference tables, looked up before an account is known."""

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Date,
    DateTime,
    ForeignKey,
    Index,
    Integer,
    Numeric,
    Text,
    UniqueConstraint,
    Uuid,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY

from ledgerkit.core.database.tables import JSONB, reference_table

account = reference_table(
    "account",
    Column("id", Uuid, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("company", Text),
    Column("country", Text, nullable=False),
    Column("currency", Text, nullable=False),
    Column("tax_id", Text),
    Column("address", Text),
    Column("postal_code", Text),
    Column("city", Text),
    Column("province", Text),
    Column("email", Text),
    Column("phone", Text),
    Column("iban", Text),
    Column("time_zone", Text, nullable=False),
    Column("default_tax_rate", Numeric(6, 3)),
    Column("default_retention_rate", Numeric(6, 3)),
    Column("payment_term_days", Integer, nullable=False, server_default=text("30")),
    Column("series", JSONB, nullable=False, server_default=text("'{}'")),
    Column("einvoicing", Text, nullable=False, server_default=text("'on'")),
    Column("recorded_in", ARRAY(Text), nullable=False, server_default=text("'{}'")),
    Column("logo", Text),
    Column("closed_at", DateTime(timezone=True)),
    Column("kept_until", Date),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Column("updated_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Column("version", Integer, nullable=False, server_default=text("1")),
    CheckConstraint("einvoicing in ('on', 'off')", name="einvoicing"),
)
"""`einvoicing` is what the account has chosen; `recorded_in`: the environments in which it has fiscal records.
`closed_at`: its owner has deleted themselves; `kept_until`: the last day on which the law wants its books then.
"""

app_user = reference_table(
    "app_user",
    Column("id", Uuid, primary_key=True),
    Column("email", Text, nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("password_hash", Text, nullable=False),
    Column("country", Text, nullable=False),
    Column("currency", Text, nullable=False),
    Column("locale", Text, nullable=False),
    Column("time_zone", Text, nullable=False),
    Column("active_account_id", Uuid, ForeignKey("account.id"), nullable=False),
    Column("token_version", Integer, nullable=False, server_default=text("1")),
    Column("registration_key", Text),
    Column("registration_body", Text),
    Column("email_verified", Boolean, nullable=False, server_default=text("false")),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
)

revoked_login = reference_table(
    "revoked_login",
    Column("jti", Text, primary_key=True),
    Column("expires_at", DateTime(timezone=True), nullable=False),
)
"""Logins that were ended, by their id; forgotten once their last token would have expired.

Until logins had ids, a token was a login of its own: hence the column's name."""

membership = reference_table(
    "membership",
    Column("id", Uuid, primary_key=True),
    Column("account_id", Uuid, ForeignKey("account.id"), nullable=False),
    Column("user_id", Uuid, ForeignKey("app_user.id"), nullable=False),
    Column("role", Text, nullable=False),
    Column("invited_by", Uuid, ForeignKey("app_user.id")),
    Column("joined_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Column("last_active_at", DateTime(timezone=True)),
    UniqueConstraint("account_id", "user_id"),
    UniqueConstraint("account_id", "id"),
    Index("uq_membership_owner", "account_id", unique=True, postgresql_where=text("role = 'owner'")),
    Index("ix_membership_user", "user_id"),
)

invitation = reference_table(
    "invitation",
    Column("id", Uuid, primary_key=True),
    Column("account_id", Uuid, ForeignKey("account.id"), nullable=False),
    Column("email", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("token_hash", Text, unique=True),
    Column("invited_by", Uuid, ForeignKey("app_user.id")),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Column("expires_at", DateTime(timezone=True), nullable=False),
    Index("ix_invitation_account", "account_id", "created_at"),
    Index("ix_invitation_email", "email", postgresql_where=text("state = 'open'")),
)
"""Found by its token before an account is known. `state`: open, joined, replaced, or unsent where its mail was refused;
the token itself is in the mail only."""

api_key = reference_table(
    "api_key",
    Column("id", Uuid, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("owner_id", Uuid, nullable=False),
    Column("version", Integer, nullable=False, server_default=text("1")),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    UniqueConstraint("kind", "owner_id"),
)
"""No secret lies here: a key's proof is recomputed from the server's secret, owner and version."""
