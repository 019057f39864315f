"""Data that the bench puts into the database directly: accounts in number, and invoices by the hundred thousand."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from itertools import count
from typing import Any, TypeVar
from uuid import UUID

import asyncpg

from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.identity.logins.tokens import Tokens, key_id

T = TypeVar("T")


@dataclass(frozen=True)
class Party:
    """Somebody with an account of their own and its API key."""

    account_id: str
    user_id: str
    key_id: str
    key: str

    def plain(self) -> dict[str, str]:
        return asdict(self)


async def with_clients(db: asyncpg.Connection, parties: Sequence[Party]) -> list[dict[str, str]]:
    """The parties, each with the id of the one client that it has invoiced."""
    ids = [UUID(party.account_id) for party in parties]
    found = await db.fetch("select account_id, id from client where account_id = any($1)", ids)
    clients = {str(row["account_id"]): str(row["id"]) for row in found}
    return [{**party.plain(), "client_id": clients[party.account_id]} for party in parties]


_ISSUERS = count(50_000_001)
"""Numbers of persons, from which the tax identifiers of accounts without records are made."""


_FIRST_VERSION = 1
"""Version of the keys and logins of whoever has changed none."""

_LOGGED_IN = timedelta(hours=12)


async def registered(db: asyncpg.Connection, key: str) -> Party:
    """The party that an API key given by the server belongs to."""
    row = await db.fetchrow(
        "select u.active_account_id, u.id from api_key k join app_user u on u.id = k.owner_id where k.id = $1",
        key_id(key),
    )
    return Party(str(row["active_account_id"]), str(row["id"]), str(key_id(key)), key)


async def copied(db: asyncpg.Connection, model: Party, tokens: Tokens, number: int) -> list[Party]:
    """As many further parties, alike but for their ids and keys: registering each would cost 0.2 s of argon2.

    E-invoicing is off in their accounts: they issue without records until `reporting`.
    """
    made = []
    for _ in range(number):
        account, user, key = new_id(), new_id(), new_id()
        party = Party(str(account), str(user), str(key), tokens.api_key(key, "user", user, _FIRST_VERSION))
        issuer = {"tax_id": _nif(next(_ISSUERS)), "einvoicing": "off"}
        await _copy(db, "account", UUID(model.account_id), {"id": account, **issuer})
        own = {"id": user, "email": f"{user}@example.com", "active_account_id": account}
        await _copy(db, "app_user", UUID(model.user_id), own)
        membership = await db.fetchval("select id from membership where user_id = $1", UUID(model.user_id))
        await _copy(db, "membership", membership, {"id": new_id(), "account_id": account, "user_id": user})
        await _copy(db, "api_key", UUID(model.key_id), {"id": key, "owner_id": user})
        made.append(party)
    return made


def login_of(party: Party, tokens: Tokens) -> str:
    """Issue the token of a login of the party's person."""
    return tokens.login_token(UUID(party.user_id), _FIRST_VERSION, _LOGGED_IN).token


async def _copy(db: asyncpg.Connection, table: str, row_id: UUID, changes: dict[str, Any]) -> None:
    names = list(changes)
    values = ", ".join(f"${n}" for n, _ in enumerate(names, start=2))
    kept = await db.fetch(
        "select column_name from information_schema.columns where table_name = $1 and not column_name = any($2)",
        table,
        names,
    )
    rest = ", ".join(f'"{row["column_name"]}"' for row in kept)
    await db.execute(
        f"insert into {table} ({', '.join(names)}, {rest}) select {values}, {rest} from {table} where id = $1",
        row_id,
        *changes.values(),
    )


async def varied(db: asyncpg.Connection, party: Party) -> None:
    """Give the invoices of an account bases of their own, in the rows of their taxes."""
    await db.execute(
        "update invoice set tax_breakdown = jsonb_set(tax_breakdown::jsonb, '{0,base}', to_jsonb(ordinal + 0.5))::json"
        " where account_id = $1",
        UUID(party.account_id),
    )


async def paid(db: asyncpg.Connection, party: Party) -> None:
    """Give each invoice of an account that has none a payment of all of it."""
    await db.execute(
        "insert into invoice_payment (account_id, id, invoice_id, amount, paid_at, channel)"
        " select account_id, uuidv7(), id, total, issue_date, 'api' from invoice i where account_id = $1"
        " and not exists (select from invoice_payment p where p.account_id = i.account_id and p.invoice_id = i.id)",
        UUID(party.account_id),
    )


async def reporting(db: asyncpg.Connection, parties: Sequence[Party]) -> None:
    """Turn e-invoicing on in each party's account, under a tax identifier of its own: what it issues gets a record."""
    rows = [(UUID(party.account_id), _nif(60_000_001 + index)) for index, party in enumerate(parties)]
    await db.executemany("update account set tax_id = $2, einvoicing = 'on' where id = $1", rows)


def _nif(number: int) -> str:
    """A valid one of a person. Source: RD 1553/2005 and the ministry's table of letters."""
    return f"{number:08d}{'TRWAGMYFPDXBNJZSQVHLCKE'[number % 23]}"


async def issued(db: asyncpg.Connection, account_ids: Sequence[str]) -> int:
    """Count the accounts' numbered, paid invoices with their log."""
    return await db.fetchval(
        "select count(*) from invoice i where account_id = any($1) and status = 'paid' and number is not null"
        " and exists (select from activity where account_id = i.account_id and entity_id = i.id)",
        [UUID(one) for one in account_ids],
    )


async def settle(db: asyncpg.Connection) -> None:
    """Vacuum and analyze, as autovacuum would have done by the time that an account has grown so far."""
    await db.execute("vacuum (analyze)")


def split(parties: Sequence[T], *sizes: int) -> list[list[T]]:
    rest = list(parties)
    return [[rest.pop() for _ in range(size)] for size in sizes]
