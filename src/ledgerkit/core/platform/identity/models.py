"""Users, accounts, memberships and keys: reference tables, looked up before an account is known."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from uuid import UUID

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
    PrimaryKeyConstraint,
    Text,
    UniqueConstraint,
    Uuid,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY

from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.tables import JSONB, reference_table


class ProfileRow(Row):
    """Columns of an account that make its profile (`request.context.AccountProfile`)."""

    id: UUID
    kind: str
    name: str
    company: str | None
    country: str
    currency: str
    tax_id: str | None
    address: str | None
    postal_code: str | None
    city: str | None
    province: str | None
    email: str | None
    phone: str | None
    iban: str | None
    time_zone: str
    default_tax_rate: Decimal | None
    default_retention_rate: Decimal | None
    payment_term_days: int
    higher_simplified_limit: bool
    series: Mapping[str, str]
    einvoicing: str
    regimes: Mapping[str, str]
    recorded_in: Sequence[str]
    live_since: datetime | None


class StoredAccountRow(ProfileRow):
    logo: str | None
    closed_at: datetime | None
    kept_until: date | None
    archive_of: UUID | None
    created_at: datetime
    updated_at: datetime
    version: int


account = reference_table(
    "account",
    StoredAccountRow,
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
    Column("higher_simplified_limit", Boolean, nullable=False, server_default=text("false")),
    Column("series", JSONB, nullable=False, server_default=text("'{}'")),
    Column("einvoicing", Text, nullable=False, server_default=text("'on'")),
    Column("regimes", JSONB, nullable=False, server_default=text("'{}'")),
    Column("recorded_in", ARRAY(Text), nullable=False, server_default=text("'{}'")),
    Column("live_since", DateTime(timezone=True)),
    Column("logo", Text),
    Column("closed_at", DateTime(timezone=True)),
    Column("kept_until", Date),
    Column("archive_of", Uuid, ForeignKey("account.id")),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Column("updated_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Column("version", Integer, nullable=False, server_default=text("1")),
    CheckConstraint("einvoicing in ('on', 'off')", name="einvoicing"),
    Index("uq_account_archive_of", "archive_of", unique=True),
)
"""`higher_simplified_limit`: it sells what its country lets be invoiced in simplified form at higher amounts.
`einvoicing` is the account's own choice, `recorded_in` the environments in which it has fiscal records. `regimes`
are those that it has stated, past and planned ones included, by the first day of each.
`kind` is `personal`, `team` or `archive`: the trial of the account `archive_of`, which went live at `live_since`.
`closed_at` is when its owner deleted their account, `kept_until` the last day on which the law requires its books.
"""


class IssuerSeriesRow(Row):
    country: str
    tax_id: str
    series: str
    account_id: UUID
    used_at: datetime | None
    retired_at: datetime | None
    created_at: datetime


issuer_series = reference_table(
    "issuer_series",
    IssuerSeriesRow,
    Column("country", Text, nullable=False),
    Column("tax_id", Text, nullable=False),
    Column("series", Text, nullable=False),
    Column("account_id", Uuid, ForeignKey("account.id"), nullable=False),
    Column("used_at", DateTime(timezone=True)),
    Column("retired_at", DateTime(timezone=True)),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    PrimaryKeyConstraint("country", "tax_id", "series"),
    Index("ix_issuer_series_account", "account_id"),
)
"""Account that gives the numbers of a series under a tax identifier (`issuer_series`), which accounts may share.

`used_at` is when it gave the first one; before that the series can be released. `retired_at` is since when it gives
none any more, because a restored database may have lost numbers of it.
"""


class UserRow(Row):
    id: UUID
    email: str
    name: str
    password_hash: str
    country: str
    currency: str
    locale: str
    time_zone: str
    active_account_id: UUID
    token_version: int
    registration_key: str | None
    registration_body: str | None
    email_verified: bool
    created_at: datetime


app_user = reference_table(
    "app_user",
    UserRow,
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


class RevokedLoginRow(Row):
    jti: str
    expires_at: datetime


revoked_login = reference_table(
    "revoked_login",
    RevokedLoginRow,
    Column("jti", Text, primary_key=True),
    Column("expires_at", DateTime(timezone=True), nullable=False),
)
"""Logins that were ended, by their id; removed once their last token would have expired.

`jti` is the id of a login: tokens that were issued before logins had ids are each a login with the token's own id.
"""


class MembershipRow(Row):
    id: UUID
    account_id: UUID
    user_id: UUID
    role: str
    invited_by: UUID | None
    joined_at: datetime
    last_active_at: datetime | None


membership = reference_table(
    "membership",
    MembershipRow,
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


class InvitationRow(Row):
    id: UUID
    account_id: UUID
    email: str
    role: str
    state: str
    token_hash: str | None
    invited_by: UUID | None
    created_at: datetime
    expires_at: datetime


invitation = reference_table(
    "invitation",
    InvitationRow,
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
"""Looked up by its token before an account is known. `state`: open, joined, replaced, or unsent where its mail was
refused. The token itself is in the mail only.
"""


class ApiKeyRow(Row):
    id: UUID
    kind: str
    owner_id: UUID
    version: int
    created_at: datetime


api_key = reference_table(
    "api_key",
    ApiKeyRow,
    Column("id", Uuid, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("owner_id", Uuid, nullable=False),
    Column("version", Integer, nullable=False, server_default=text("1")),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    UniqueConstraint("kind", "owner_id"),
)
"""No secret is stored: a key's proof is computed anew from the server's secret, the owner and the version."""


class ScopedKeyRow(Row):
    id: UUID
    membership_id: UUID
    name: str
    scopes: Sequence[str]
    key_hash: str
    prefix: str
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None


scoped_key = reference_table(
    "scoped_key",
    ScopedKeyRow,
    Column("id", Uuid, primary_key=True),
    Column("membership_id", Uuid, ForeignKey("membership.id", ondelete="CASCADE"), nullable=False),
    Column("name", Text, nullable=False),
    Column("scopes", ARRAY(Text), nullable=False),
    Column("key_hash", Text, nullable=False, unique=True),
    Column("prefix", Text, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Column("expires_at", DateTime(timezone=True)),
    Column("last_used_at", DateTime(timezone=True)),
    Index("ix_scoped_key_membership", "membership_id"),
)
"""Keys of a person in one account; they end with the membership. The key itself is stored nowhere, only its SHA-256;
`prefix` is its beginning, by which a person recognises it. `last_used_at` is exact to a minute.
"""
