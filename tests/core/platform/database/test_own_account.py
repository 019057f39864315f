"""Every statement on an account's tables names the account: PostgreSQL plans each of them without its policies here.

What counts is the plan: each scan of such a table has `account_id = $n` among its conditions, with the number of the
parameter that the connection gives, and each INSERT writes that parameter.
"""

import ast
import gc
import pkgutil
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import asyncpg
import pytest
from sqlalchemy import delete, event, func, insert, literal, select, text, true, union_all, update
from sqlalchemy.exc import StatementError

from ledgerkit import core
from ledgerkit.core.platform.database.own_account import AccountCompiler
from ledgerkit.core.platform.database.row_types import OWN_ACCOUNT
from ledgerkit.core.platform.database.statements import Prepared, driver
from ledgerkit.core.platform.database.tables import metadata
from ledgerkit.core.platform.database.tenancy import is_shared, scope_of
from ledgerkit.core.sales.clients.table import client
from ledgerkit.core.sales.invoices.table import invoice, invoice_counter, invoice_payment
from support.database import as_owner
from support.scenes import ASKS, EMISSION, PRINTING, address, scene
from support.scenes import prepared as ready

SOURCE = Path(core.__file__).parents[1]
WALLED = {table.name for table in metadata.tables.values() if not is_shared(scope_of(table))}

ACROSS_ACCOUNTS = {
    "core/operation/backup/archive/restore.py": "the owner counts and marks the records of a restored database",
}
"""Files with statements, written as text, on the rows of all accounts; each with its reason.

A backup copies whole tables (`operation/backup/archive/rows.py`). What the server itself looks for in all accounts, as
jobs, chains that are due and closed accounts, stands in tables of no account: `test_schema_rules.REFERENCE` names them.
"""


class Sent(NamedTuple):
    """A statement as PostgreSQL is given it, the number of its parameters, and a pattern of those for the account."""

    sql: str
    parameters: int
    account: str


def numbered(wanted: object, parameters: Iterable[object]) -> str:
    numbers = [str(number) for number, one in enumerate(parameters, start=1) if one == wanted]
    return rf"\$(?:{'|'.join(numbers) or 'none'})\b"


def sent(statement: Prepared[Any]) -> Sent:
    compiled = statement._compiled
    return Sent(compiled.sql, len(compiled.names), numbered(OWN_ACCOUNT.key, compiled.names))


def prepared() -> set[Sent]:
    """Statements of all modules, and those that were made for what has been asked by now."""
    for module in pkgutil.walk_packages(core.__path__, f"{core.__name__}."):
        import_module(module.name)
    gc.unfreeze()  # the application has put what it was started with out of sight
    return {sent(one) for one in gc.get_objects() if isinstance(one, Prepared)}


@contextmanager
def executed(kernel) -> Iterator[set[Sent]]:
    """Statements that are sent by SQLAlchemy's execution meanwhile."""
    engine, seen = kernel.database.pinned.sync_connection.engine, set()

    def note(connection, _cursor, statement, parameters, context, many):
        if isinstance(context.compiled, AccountCompiler) and not statement.startswith(("reset ", "set ")):
            values = parameters[0] if many else parameters
            seen.add(Sent(statement, len(values), numbered(connection.info[OWN_ACCOUNT.key], values)))

    event.listen(engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        event.remove(engine, "before_cursor_execute", note)


# ---------------------------------------------------------------- what a plan says


async def lacking(connection: asyncpg.Connection, statement: Sent) -> list[str]:
    """Tables of accounts that the statement reads or writes without naming the account."""
    await connection.execute(f"prepare judged as {statement.sql}")
    nothing = f"({', '.join(['null'] * statement.parameters)})" if statement.parameters else ""
    [(plan,)] = await connection.fetch(f"explain (verbose, format json) execute judged {nothing}")
    await connection.execute("deallocate judged")
    return list(unnamed(plan[0]["Plan"], statement))


def unnamed(node: dict[str, Any], statement: Sent) -> Iterator[str]:
    table = node.get("Relation Name")
    if table in WALLED and node["Node Type"] != "ModifyTable":
        conditions = " ".join(str(node.get(name, "")) for name in ("Index Cond", "Recheck Cond", "Filter"))
        if not re.search(rf"\baccount_id = {statement.account}", conditions):
            yield f"{table} is read"
    if table in WALLED and node.get("Operation") == "Insert" and not writes(node["Plans"][-1], statement):
        yield f"{table} is written"
    for one in node.get("Plans", ()):
        yield from unnamed(one, statement)


def writes(node: dict[str, Any], statement: Sent) -> bool:
    """Return True when the account is among what is written; of a query's rows, among what one of its parts gives.

    The plan does not say what several rows of VALUES hold.
    """
    if node["Node Type"] == "Values Scan":
        return re.search(rf"\(account_id, [^()]*\) VALUES \({statement.account}", statement.sql) is not None
    given = any(re.fullmatch(statement.account, output) for output in node["Output"])
    return given or any(writes(one, statement) for one in node.get("Plans", ()))


async def planned(kernel, statements: Iterable[Sent]) -> dict[str, list[str]]:
    """Return what each statement reads or writes without the account; those that do neither are left out."""
    async with as_owner(kernel) as connection:
        raw = driver(connection)
        await raw.execute("set local plan_cache_mode = force_generic_plan")
        found = {one.sql: await lacking(raw, one) for one in statements}
    return {sql: lack for sql, lack in found.items() if lack}


@pytest.mark.whole
async def test_every_statement_names_the_account(ana, kernel):
    """Those of all modules, and what is made for the records of a scene, and for reading them."""
    rows = [row for row in ASKS if row.startswith("GET ") and row not in {*EMISSION, *PRINTING}]
    with executed(kernel) as statements:
        ids = await scene(ana)
        for row in rows:
            own = await ready(ana, ASKS[row], ids)
            await ana.request(*address(row, own))
    of_modules = prepared()

    assert len(statements) > 80
    assert len(of_modules) > 400
    assert await planned(kernel, statements | of_modules) == {}


@pytest.mark.parametrize(
    ("statement", "lacks"),
    [
        ("select 1 from invoice where account_id = $1", []),
        ("select 1 from invoice where id = $1", ["invoice is read"]),
        ("select 1 from invoice i join client c on c.id = i.client_id where i.account_id = $1", ["client is read"]),
        ("select 1 from invoice where account_id = $1 and exists (select from client)", ["client is read"]),
        ("with c as (select * from client offset 0) select $1::uuid, c.* from c", ["client is read"]),
        ("update client set name = 'x' where id = $1", ["client is read"]),
        ("delete from task where id = $1", ["task is read"]),
        ("insert into task_board (version) values (length($1::text))", ["task_board is written"]),
        ("insert into task_board (account_id) values ($1)", []),
        ("insert into task_board (account_id) select gen_random_uuid() where $1 = 1", ["task_board is written"]),
        ("insert into tally (kind, bucket, count) values ($1, 1, 1), ('b', 1, 1)", ["tally is written"]),
    ],
)
async def test_a_statement_that_does_not_is_found(kernel, statement, lacks):
    assert await planned(kernel, [Sent(statement, 1, numbered(1, [1]))]) == ({statement: lacks} if lacks else {})


# ---------------------------------------------------------------- each shape of a statement

_PAID = select(invoice_payment.c.invoice_id).where(invoice_payment.c.amount > 0).cte("paid")
_OTHER = invoice.alias("other")

SHAPES = {
    "one table": select(invoice.c.id),
    "an alias": select(_OTHER.c.id),
    "a join": select(invoice.c.id).join(client, client.c.id == invoice.c.client_id),
    "two outer joins": select(invoice.c.id)
    .outerjoin(_OTHER, _OTHER.c.id == invoice.c.rectifies)
    .outerjoin(client, client.c.id == _OTHER.c.client_id),
    "a join within a join": select(invoice.c.id).select_from(
        invoice.outerjoin(_OTHER.join(client, client.c.id == _OTHER.c.client_id), _OTHER.c.id == invoice.c.rectifies)
    ),
    "a lateral": select(invoice.c.id, select(client.c.name).where(client.c.id == invoice.c.client_id).lateral().c.name),
    "a condition": select(invoice.c.id).where(select(client).where(client.c.id == invoice.c.client_id).exists()),
    "a part": select(invoice.c.id).join(_PAID, _PAID.c.invoice_id == invoice.c.id),
    "a union": union_all(select(invoice.c.id), select(client.c.id)),
    "a subquery": select(func.count()).select_from(select(invoice.c.id).limit(2).subquery()),
    "update": update(client).values(name="x").where(client.c.name == "y"),
    "update from": update(client).values(name=invoice.c.number).where(invoice.c.client_id == client.c.id),
    "update with a query": update(client).values(name=select(func.max(invoice.c.number)).scalar_subquery()),
    "delete": delete(client).where(client.c.name == "y"),
    "delete using": delete(client).where(invoice.c.client_id == client.c.id),
    "insert": insert(invoice_counter).values(series="F", year=2026, next=1),
    "insert several": insert(invoice_counter).values([{"series": one, "year": 2026, "next": 1} for one in "FG"]),
    "insert a query": insert(invoice_counter).from_select(
        ["series", "year", "next"], select(invoice.c.number, literal(2026), invoice.c.ordinal)
    ),
    "a change within": select(delete(client).returning(client.c.id).cte("gone")),
}


@pytest.mark.parametrize("shape", SHAPES)
async def test_the_account_is_named_in(kernel, shape):
    assert await planned(kernel, [sent(Prepared(SHAPES[shape]))]) == {}


def test_tables_of_no_account_are_left_alone():
    statement = Prepared(select(metadata.tables["app_user"]).where(true()))

    assert OWN_ACCOUNT.key not in statement._compiled.names


def test_an_outer_join_still_gives_what_has_no_counterpart(ana):
    sql = Prepared(SHAPES["two outer joins"])._compiled.sql

    assert sql.count("account_id") == 3
    assert sql.index("WHERE") < sql.rindex("account_id") < sql.rindex("\n") or sql.count("WHERE") == 1
    assert sql.partition("WHERE")[2].count("account_id") == 1


# ---------------------------------------------------------------- whose account it is

_NUMBERS = select(func.count()).select_from(invoice)
_PREPARED = Prepared(_NUMBERS)


async def test_the_wall_being_down_a_statement_still_sees_its_own_account_only(ana, berta, database):
    for _ in range(2):
        await ana.invoice()
    await berta.invoice()

    async with database.transaction(UUID(ana.team["id"])) as connection:
        await driver(connection).execute("reset role")
        everything = await connection.scalar(text("select count(*) from invoice"))
        own = await connection.scalar(_NUMBERS), (await _PREPARED.one(connection))[0]

    assert (everything, *own) == (3, 2, 2)


async def test_without_an_account_a_statement_is_not_sent(database):
    async with database.asking() as connection:
        with pytest.raises(RuntimeError, match="has entered the account"):
            await _PREPARED.one(connection)
        with pytest.raises(StatementError, match="own_account"):
            await connection.scalar(_NUMBERS)


async def test_after_a_transaction_within_one_that_is_undone_the_account_is_the_outer_one(ana, berta, database):
    await ana.invoice()
    hers, his = UUID(ana.team["id"]), UUID(berta.team["id"])

    async def seen() -> int:
        return (await _PREPARED.one(connection))[0]

    async with database.rolled_back(hers) as inner, inner.transaction(hers) as connection:
        counts = [await seen()]
        async with inner.transaction(his):
            counts.append(await seen())
        counts.append(await seen())
        with pytest.raises(ValueError, match="undone"):
            async with inner.transaction(his):
                raise ValueError("undone")
        counts.append(await seen())

    assert counts == [1, 0, 1, 1]


# ---------------------------------------------------------------- statements written as text

_NAMES = "|".join(sorted(WALLED))
_ON_ACCOUNTS = re.compile(rf"\b(?:from|join|into|update|using)\s+(?:public\.)?(?:{_NAMES})\b")
_ON_ANY = re.compile(r"^\s*(?=select|insert|update|delete|with).*?\b(?:from|join|into|update) \{\}", re.DOTALL)


def texts(node: ast.AST) -> Iterator[str]:
    """Texts of a source, in which `{}` stands for what is filled in."""
    if isinstance(node, ast.JoinedStr):
        yield "".join(str(one.value) if isinstance(one, ast.Constant) else "{}" for one in node.values)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    else:
        for inner in ast.iter_child_nodes(node):
            yield from texts(inner)


def careless(source: str) -> list[str]:
    """Statements written as text on an account's tables, or on one that is filled in, which do not name the account."""
    on_accounts = [one for one in texts(ast.parse(source)) if _ON_ACCOUNTS.search(one) or _ON_ANY.search(one)]
    return [one for one in on_accounts if f":{OWN_ACCOUNT.key}" not in one]


def test_statements_written_as_text_name_the_account():
    found = {str(file.relative_to(SOURCE)) for file in SOURCE.rglob("*.py") if careless(file.read_text())}

    assert found == set(ACROSS_ACCOUNTS)


@pytest.mark.parametrize(
    "source",
    [
        'text("select 1 from invoice")',
        'text("select 1" " from invoice")',
        'text(f"update {table} set x = 1")',
        'text(f"select {columns} from invoice where id = 1")',
        'text("with a as (select 1) insert into tally (kind) select 1")',
    ],
)
def test_a_careless_text_is_found(source):
    assert careless(source)
    assert not careless(source.replace("1", ":own_account"))
