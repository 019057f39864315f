"""Users, accounts, memberships and keys: reference tables, looked up before an account is known."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from uuid import UUID

from sqlalchemy import (
    CheckConstraint,
    ForeignKey,
    Index,
    Numeric,
    PrimaryKeyConstraint,
    Text,
    UniqueConstraint,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY

from ledgerkit.core.platform.database.row_types import Row, column
from ledgerkit.core.platform.database.tables import JSONB, reference_table
from ledgerkit.core.platform.documents.payment_terms import TERM_DAYS


class ProfileRow(Row):
    """Columns of an account that make its profile (`request.context.AccountProfile`)."""

    id: UUID = column("Id of the account, which all its records name.", primary_key=True)
    kind: str = column(
        "Kind of account: personal (a person's workspace), team, or archive (what another account did before it went "
        "live).",
    )
    name: str = column("Name of the team or person, up to 120 characters; blank once a closed account is erased.")
    company: str | None = column("Legal name that is printed as issuer; null where name is.")
    country: str = column(
        "ISO 3166 code of the issuer's country, two letters; its plug-in decides taxes, numbering and e-invoicing.",
    )
    currency: str = column("ISO 4217 code of the account's currency, in which reports and declarations count.")
    tax_id: str | None = column(
        "Issuer's tax identifier, checked by its country; null where none is stated, and then nothing can be emitted.",
    )
    address: str | None = column("Issuer's street and number; null where not stated.")
    postal_code: str | None = column("Issuer's postal code; null where not stated.")
    city: str | None = column("Issuer's town; null where not stated.")
    province: str | None = column("Issuer's province; null where not stated.")
    email: str | None = column("Issuer's e-mail address; null where not stated.")
    phone: str | None = column("Issuer's telephone number as text; null where not stated.")
    iban: str | None = column("Bank account (IBAN without spaces) of new invoices that state none; null for none.")
    time_zone: str = column("IANA time zone by which the account's days begin and end, as Europe/Madrid.")
    default_tax_rate: Decimal | None = column(
        "Percent of VAT of new invoices whose client has none of its own, 0 to 100; null for the country's general "
        "rate.",
        Numeric(6, 3),
    )
    default_retention_rate: Decimal | None = column(
        "Percent of income tax withheld on new invoices whose client has none of its own, 0 to 100; null for 0.",
        Numeric(6, 3),
    )
    payment_term_days: int = column(
        f"Days until new invoices are due where the client has no term of its own, 0 to 365; {TERM_DAYS} by default.",
        server_default=text(str(TERM_DAYS)),
    )
    higher_simplified_limit: bool = column(
        "True where it sells what may be invoiced in simplified form up to 3,000 euros (RD 1619/2012, art. 4.2).",
        server_default=text("false"),
    )
    series: Mapping[str, str] = column(
        "Prefixes of numbers chosen by kind of document; where one is absent the country's applies.",
        JSONB,
        server_default=text("'{}'"),
    )
    einvoicing: str = column(
        "Owner's choice of e-invoicing, on or off; off does not count once a record exists or the law obliges the "
        "issuer.",
        server_default=text("'on'"),
    )
    regimes: Mapping[str, str] = column(
        "Regimes stated, by the first day of each, planned ones too; in Spain verifactu, sii or foral; "
        "empty for the usual one.",
        JSONB,
        server_default=text("'{}'"),
    )
    recorded_in: Sequence[str] = column(
        "Environments in which the account has fiscal records: sandbox, test, production.",
        ARRAY(Text),
        server_default=text("'{}'"),
    )
    live_since: datetime | None = column(
        "Moment in UTC at which its trial was set aside and it went live; null where no trial was set aside.",
    )


class StoredAccountRow(ProfileRow):
    """One set of books: a person's workspace, a team that issues invoices, or the archive of a team's trial."""

    logo: str | None = column(
        "Picture for documents as PNG data URL of at most 1000 x 1000 pixels; another text is kept and not printed; "
        "null for none.",
    )
    closed_at: datetime | None = column(
        "Moment in UTC at which its owner deleted their account, so that nobody can enter; null for an open one.",
    )
    kept_until: date | None = column(
        "Last day on which the law requires a closed account's books, end of the sixth year after the last entry; "
        "null for none.",
    )
    archive_of: UUID | None = column(
        "Id of the account whose trial an archive holds; null for all other kinds.",
        ForeignKey("account.id"),
    )
    created_at: datetime = column("Moment in UTC at which the account was made.", server_default=func.now())
    updated_at: datetime = column("Moment in UTC of the last change of its profile.", server_default=func.now())
    version: int = column(
        "Number of the profile's version, from 1, which callers send back in If-Match.",
        server_default=text("1"),
    )


account = reference_table(
    "account",
    StoredAccountRow,
    CheckConstraint("einvoicing in ('on', 'off')", name="einvoicing"),
    Index("uq_account_archive_of", "archive_of", unique=True),
)


class IssuerSeriesRow(Row):
    """One series of numbers under one tax identifier, held by the one account that may give numbers in it."""

    country: str = column("ISO 3166 code of the tax identifier's country, two letters.")
    tax_id: str = column("Tax identifier of the issuer, which several accounts may share.")
    series: str = column("Prefix of the numbers, as F, T or R.")
    account_id: UUID = column("Id of the account that holds the series.", ForeignKey("account.id"))
    used_at: datetime | None = column(
        "Moment in UTC since which it is in use, as from its first number, and never released; null while it can "
        "still be released.",
    )
    retired_at: datetime | None = column(
        "Moment in UTC since which it gives none, as a restored database may have lost numbers; null for a series in "
        "use.",
    )
    created_at: datetime = column("Moment in UTC at which the account took the series.", server_default=func.now())


issuer_series = reference_table(
    "issuer_series",
    IssuerSeriesRow,
    PrimaryKeyConstraint("country", "tax_id", "series"),
    Index("ix_issuer_series_account", "account_id"),
)


class UserRow(Row):
    """A person who can log in: what they chose at registration, and what proves who they are."""

    id: UUID = column("Id of the person.", primary_key=True)
    email: str = column(
        "Address to log in with, lower case and unique; one at released.invalid once it was taken from somebody who "
        "never verified it.",
        unique=True,
    )
    name: str = column("Name as typed at registration; by default the part of the address before the @.")
    password_hash: str = column("Argon2id hash of the password; empty where no password opens the account.")
    country: str = column("Country chosen at registration, two capital letters (ISO 3166), by default ES.")
    currency: str = column("Currency chosen at registration, three capital letters (ISO 4217), by default EUR.")
    locale: str = column("Language of the person: es where they registered with country ES, else en.")
    time_zone: str = column(
        "IANA time zone of the country chosen at registration; Europe/Madrid where that country is not installed.",
    )
    active_account_id: UUID = column(
        "Account that the person works in unless a request names another one.",
        ForeignKey("account.id"),
    )
    token_version: int = column(
        "Version that login tokens must carry, from 1; a new password or ending all logins raises it and voids them.",
        server_default=text("1"),
    )
    registration_key: str | None = column(
        "HMAC-SHA-256, in hexadecimal, of the registration's idempotency key, which counts for a day; null without "
        "one or once released.",
    )
    registration_body: str | None = column(
        "HMAC-SHA-256, in hexadecimal, of the registration without its password; null where registration_key is.",
    )
    email_verified: bool = column(
        "True once the person has followed a link that was mailed to the address.",
        server_default=text("false"),
    )
    created_at: datetime = column("Time (UTC) of the registration.", server_default=func.now())


app_user = reference_table("app_user", UserRow)


class RevokedLoginRow(Row):
    """A login that was ended before its time; the row goes once the login's last token would have expired."""

    jti: str = column(
        "Id of the ended login, which all its tokens carry as sid; for old tokens without one, the token's own jti.",
        primary_key=True,
    )
    expires_at: datetime = column(
        "Time (UTC) after which no token of the login is valid anyway: 30 days after it began.",
    )


revoked_login = reference_table("revoked_login", RevokedLoginRow)


class MembershipRow(Row):
    """A person's membership of one account; nobody sees an account without one."""

    id: UUID = column("Id of the membership; records that name a member point to it.", primary_key=True)
    account_id: UUID = column("Id of the account.", ForeignKey("account.id"))
    user_id: UUID = column("Id of the person, who is a member of an account once.", ForeignKey("app_user.id"))
    role: str = column("Role in the account: owner (one at most), admin, finance, operations, member or viewer.")
    invited_by: UUID | None = column(
        "Id of the person who invited the member; null where nobody or a team's key did, or the person was removed "
        "since.",
        ForeignKey("app_user.id"),
    )
    joined_at: datetime = column("Time (UTC) at which the person became a member.", server_default=func.now())
    last_active_at: datetime | None = column(
        "Time (UTC) of the member's last request in the account, exact to five minutes; null before the first.",
    )


membership = reference_table(
    "membership",
    MembershipRow,
    UniqueConstraint("account_id", "user_id"),
    UniqueConstraint("account_id", "id"),
    Index("uq_membership_owner", "account_id", unique=True, postgresql_where=text("role = 'owner'")),
    Index("ix_membership_user", "user_id"),
)


class InvitationRow(Row):
    """An invitation of an e-mail address to a team, kept for 30 days so that abuse can be investigated."""

    id: UUID = column("Id of the invitation.", primary_key=True)
    account_id: UUID = column("Id of the team.", ForeignKey("account.id"))
    email: str = column("Address invited, in lower case.")
    role: str = column("Role offered: admin, finance, operations, member or viewer.")
    state: str = column(
        "State: open while it can be used, joined, unsent (mail refused), withdrawn (taken back by who invited) or "
        "replaced (void by a later one, a joining or its inviter's removal).",
    )
    token_hash: str | None = column(
        "SHA-256, in hexadecimal, of the token in the mailed link; null where a registered person joined at once.",
        unique=True,
    )
    invited_by: UUID | None = column(
        "Id of the person who invited; null for a team's key, or where the person was removed since.",
        ForeignKey("app_user.id"),
    )
    created_at: datetime = column("Time (UTC) of the invitation.", server_default=func.now())
    expires_at: datetime = column(
        "Time (UTC) until which the link can be used, seven days after it was made; that of joining where one joined "
        "at once.",
    )


invitation = reference_table(
    "invitation",
    InvitationRow,
    Index("ix_invitation_account", "account_id", "created_at"),
    Index("ix_invitation_email", "email", postgresql_where=text("state = 'open'")),
)


class ApiKeyRow(Row):
    """One API key without scopes, of a user or of a team; no secret is stored, only what the key is computed from."""

    id: UUID = column("Id of the key, which the key itself contains.", primary_key=True)
    kind: str = column("Whose key it is: user or team.")
    owner_id: UUID = column("Id of the user, or of the team's account; each has one such key.")
    version: int = column(
        "Number of the key in force, from 1; a new key counts it up, which voids the one before.",
        server_default=text("1"),
    )
    created_at: datetime = column("Moment in UTC at which the owner got the first key.", server_default=func.now())


api_key = reference_table("api_key", ApiKeyRow, UniqueConstraint("kind", "owner_id"))


class ScopedKeyRow(Row):
    """An API key of a person in one account, bounded by scopes; it ends with the membership."""

    id: UUID = column("Id of the key.", primary_key=True)
    membership_id: UUID = column(
        "Id of the membership for which the key acts, with the role of each moment.",
        ForeignKey("membership.id", ondelete="CASCADE"),
    )
    name: str = column("Name that the person gave the key.")
    scopes: Sequence[str] = column(
        "What the key may do: any of read, write, fiscal and team, within its owner's role.",
        ARRAY(Text),
    )
    key_hash: str = column("SHA-256 of the key, in hexadecimal; the key itself is stored nowhere.", unique=True)
    prefix: str = column("First 12 characters of the key (lks_ and eight more), by which a person recognises it.")
    created_at: datetime = column("Time (UTC) at which the key was made.", server_default=func.now())
    expires_at: datetime | None = column("Time (UTC) from which the key opens nothing; null for one without an end.")
    last_used_at: datetime | None = column("Time (UTC) of the last use, exact to a minute; null before the first.")


scoped_key = reference_table("scoped_key", ScopedKeyRow, Index("ix_scoped_key_membership", "membership_id"))
