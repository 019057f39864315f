"""Owners of teams in databases in which everything is committed: registered over HTTP once a worker, then copied.

A copy has its own ids, keys, addresses and moments. Registration itself has its own tests.
"""

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import httpx2
from time_machine import escape_hatch

from ledgerkit.core.operation.installation.database.all_tables import metadata
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.database.statements import driver
from ledgerkit.core.platform.identity.logins.tokens import Tokens
from ledgerkit.core.platform.request.context import Kernel
from support.accounts import insert
from support.api import Api, kernel_of
from support.database import as_owner

_OWN = {
    "account": "id",
    "app_user": "id",
    "api_key": "owner_id",
    "issuer_series": "account_id",
    "membership": "account_id",
    "tally": "account_id",
    "activity": "account_id",
}
"""Column with the owner of each table in which a registration leaves rows, in the order of their references."""
_OTHERS = {name for name, table in metadata.tables.items() if "account_id" in table.columns} - _OWN.keys()

_ID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)")


@dataclass(frozen=True)
class _Original:
    """An owner as just registered: `keys` are ids by kind, `team` is the answer, `statements` insert the rows."""

    email: str
    tax_id: str
    user: str
    keys: dict[str, str]
    team: str
    statements: str


_ORIGINALS: dict[tuple[str, str], _Original] = {}
"""By configuration and name."""


async def new_owner(client: httpx2.AsyncClient, email: str, name: str, tax_id: str) -> Api:
    """A user with a team. Under a clock of the test's own it is registered over HTTP."""
    kernel = kernel_of(client)
    if escape_hatch.is_travelling():
        return await Api.with_team(client, email, name, tax_id)
    key = repr(kernel.settings.model_dump(exclude={"data_dir", "database_url", "database_app_url"})), name
    if key not in _ORIGINALS:
        api = await Api.with_team(client, email, name, tax_id)
        _ORIGINALS[key] = await _read(kernel, api)
        return api
    return await _copy(client, _ORIGINALS[key], email, tax_id)


async def _read(kernel: Kernel, api: Api) -> _Original:
    team = api.team["id"]
    found: dict[str, list[dict[str, Any]]] = {}
    async with as_owner(kernel) as connection:
        user = await driver(connection).fetchval(
            "select user_id::text from membership where account_id::text = $1", team
        )
        for table, column in _OWN.items():
            read = f"select json_agg(t)::text from {table} t where {column}::text = any($1)"  # noqa: S608 - our tables
            found[table] = json.loads(await driver(connection).fetchval(read, [team, user]))
        others = " union all ".join(
            f"select '{name}' from {name} where account_id = $1"  # noqa: S608 - our tables
            for name in sorted(_OTHERS)
        )
        assert await driver(connection).fetch(others, team) == [], "a registration leaves rows in more tables"
    keys = {row["kind"]: row["id"] for row in found["api_key"]}
    statements = "; ".join(insert(table, [json.dumps(row) for row in rows]) for table, rows in found.items())
    return _Original(api.email, api.team["taxId"], user, keys, json.dumps(api.team), statements)


async def _copy(client: httpx2.AsyncClient, original: _Original, email: str, tax_id: str) -> Api:
    kernel = kernel_of(client)
    ids = {old: str(new_id()) for old in sorted(set(_ID.findall(original.statements)))}
    name, _, _ = email.partition("@")
    before, _, _ = original.email.partition("@")
    words = {**ids, original.email: email, original.tax_id: tax_id, before: name}
    pattern = re.compile("|".join(map(re.escape, words)))
    moment = datetime.now(UTC)

    def renewed(content: str, stamp: str) -> str:
        return _MOMENT.sub(stamp, pattern.sub(lambda found: words[found[0]], content))

    async with as_owner(kernel) as connection:
        await driver(connection).execute(renewed(original.statements, moment.isoformat()))
    stamp = moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    team = json.loads(renewed(original.team, stamp))
    user, tokens = UUID(ids[original.user]), kernel.service(Tokens)
    token = tokens.login_token(user, 1, timedelta(hours=kernel.settings.token_hours)).token

    def key(kind: str, owner: UUID) -> str:
        return tokens.api_key(UUID(ids[original.keys[kind]]), kind, owner, 1)

    team["apiKey"] = key("team", UUID(team["id"]))
    return Api(client, {"Authorization": f"Bearer {token}"}, email, key("user", user), team)
