"""Statements that see an account are planned for it: a plan that is kept would be the one of another account."""

import re

from ledgerkit.core.platform.database.statements import driver
from ledgerkit.core.platform.database.tables import metadata
from ledgerkit.core.platform.database.tenancy import is_shared, scope_of
from support.accounts import COPYING
from support.description import operations
from support.scenes import scene

NAMES = "|".join(table.name for table in metadata.tables.values() if not is_shared(scope_of(table)))
OF_ACCOUNTS = re.compile(rf"\b(?:from|join|update) (?:{NAMES})\b", re.IGNORECASE)
OF_THESE_TESTS = {COPYING.format(name) for name in metadata.tables}
"""Statements by which `support.accounts` copies an account."""
LISTS = [row.partition(" ")[2] for row in operations() if row.startswith("GET /api") and "{" not in row]
OF_A_PERIOD = {"year": "2026", "quarter": "1", "from": "2026-01-01", "to": "2026-12-31", "period": "Q1"}


def asked(path: str) -> str:
    names = {one["name"] for one in operations()[f"GET {path}"].get("parameters", ())}
    return "&".join(f"{name}={value}" for name, value in OF_A_PERIOD.items() if name in names)


async def kept_plans(connection) -> set[str]:
    """Statements on accounts' tables that were run with a plan which PostgreSQL keeps."""
    rows = await driver(connection).fetch("select statement from pg_prepared_statements where generic_plans > 0")
    return {row["statement"] for row in rows if OF_ACCOUNTS.search(row["statement"])} - OF_THESE_TESTS


async def test_no_plan_of_an_account_is_kept(ana, connection):
    """Each list and report, and a write with its log and its counters."""
    of_others = await kept_plans(connection)  # earlier tests of this process asked on the same connection
    await scene(ana)
    answered, kept = 0, await kept_plans(connection)
    for path in LISTS:
        answered += (await ana.request("GET", f"{path}?{asked(path)}")).is_success
        kept |= await kept_plans(connection)

    assert answered > len(LISTS) / 2
    assert await driver(connection).fetchval("select count(*) from pg_prepared_statements where custom_plans > 0") > 20
    assert kept - of_others == set()
