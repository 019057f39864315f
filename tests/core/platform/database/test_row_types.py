"""Row types say what the rows of each table and of each statement hold, and mypy holds the code to them."""

import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import reduce
from importlib import import_module
from operator import or_
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints, is_typeddict

import asyncpg
import pytest
from sqlalchemy import ARRAY, JSON, Column, Table, text
from sqlalchemy.types import NullType, TypeEngine

from ledgerkit.core.operation.installation.database.all_tables import metadata
from ledgerkit.core.platform.database.statements import DIALECT, Prepared
from ledgerkit.core.platform.database.stored_json import StoredJson

ROOT = Path(__file__).parents[4]
CORE = ROOT / "src" / "ledgerkit" / "core"
TABLES = list(metadata.tables.values())


def alternatives(hint: Any) -> set[Any]:
    """The types of a union, or the one type."""
    return set(get_args(hint)) if get_origin(hint) in {UnionType, Union} else {hint}


def describes(hint: Any, kind: TypeEngine[Any]) -> bool:
    """Return True when the driver gives a `hint` for a column of this type."""
    if isinstance(kind, JSON):
        return holds_json(hint)
    if isinstance(kind, ARRAY):
        return get_origin(hint) is Sequence and describes(get_args(hint)[0], kind.item_type)
    return hint is kind.python_type


def holds_json(hint: Any) -> bool:
    """A stored form that a codec reads, or an array or object of plain values or of typed dictionaries."""
    if get_origin(hint) is StoredJson:
        return True
    plain = {str, int, bool, Decimal, NoneType}
    if get_origin(hint) is Sequence:
        return alternatives(get_args(hint)[0]) <= plain
    if get_origin(hint) is not Mapping or get_args(hint)[0] is not str:
        return False
    return alternatives(get_args(hint)[1]) <= plain or is_typeddict(get_args(hint)[1])


def differing(row_type: type, columns: Mapping[str, Any], fits: Callable[[Any, Any], bool]) -> set[str]:
    """Names that only the row type or only the columns have, and names of another type."""
    hints = get_type_hints(row_type)
    common = hints.keys() & columns.keys()
    return (hints.keys() ^ columns.keys()) | {name for name in common if not fits(hints[name], columns[name])}


# ---------------------------------------------------------------- tables


def test_every_row_type_has_the_columns_of_its_table():
    differences = {table.name: differing(table.info["row"], columns_in(table), column_fits) for table in TABLES}

    assert {table: names for table, names in differences.items() if names} == {}


def columns_in(table: Table) -> dict[str, Column[Any]]:
    return {column.name: column for column in table.c}


def column_fits(hint: Any, column: Column[Any]) -> bool:
    types = alternatives(hint)
    return (NoneType in types) == column.nullable and describes(reduce(or_, types - {NoneType}), column.type)


@pytest.mark.parametrize(
    ("hint", "column"),
    [
        (str | None, Column("note", JSON, nullable=False)),
        (str, Column("note", JSON(), nullable=False)),
        (dict[str, Any], Column("note", JSON(), nullable=False)),
        (Sequence[Any], Column("note", JSON(), nullable=False)),
    ],
)
def test_a_column_of_another_type_does_not_fit(hint, column):
    assert not column_fits(hint, column)


METHODS = sorted(name for name in vars(asyncpg.Record) if not name.startswith("_"))


async def test_a_column_is_an_attribute_even_where_the_drivers_record_has_a_method_of_that_name(kernel):
    columns = ", ".join(f"'a column' as {name}" for name in METHODS)

    async with kernel.database.asking() as db:
        [row] = await Prepared(text(f"select {columns}")).rows(db)

    assert {getattr(row, name) for name in METHODS} == {"a column"}


async def test_a_record_keeps_its_methods_where_no_column_has_their_name(kernel):
    async with kernel.database.asking() as db:
        [row] = await Prepared(text("select 'Ana' as name")).rows(db)

    assert (dict(row), row.get("age", 3), list(row.items()), list(row.values())) == (
        {"name": "Ana"},
        3,
        [("name", "Ana")],
        ["Ana"],
    )
    with pytest.raises(AttributeError):
        row.age  # noqa: B018 - reading it is the point


# ---------------------------------------------------------------- statements


def modules() -> Iterator[Any]:
    for path in sorted(CORE.rglob("*.py")):
        yield import_module(".".join(["ledgerkit", "core", *path.relative_to(CORE).with_suffix("").parts]))


STATEMENTS = {
    f"{module.__name__}.{name}": value
    for module in modules()
    for name, value in vars(module).items()
    if isinstance(value, Prepared) and value.row_type is not None
}


def test_every_statement_gives_the_columns_of_its_row_type():
    differences = {
        name: differing(statement.row_type, columns_of(statement), value_fits) for name, statement in STATEMENTS.items()
    }

    assert len(STATEMENTS) > 100
    assert {name: columns for name, columns in differences.items() if columns} == {}


def columns_of(statement: Prepared[Any]) -> dict[str, TypeEngine[Any]]:
    compiled = statement.statement.compile(dialect=DIALECT, column_keys=statement._columns)
    return {column.name: column.type for column in compiled._result_columns}


def value_fits(hint: Any, kind: TypeEngine[Any]) -> bool:
    """Like a column, but whether a value can be null depends on the statement, and PostgreSQL widens sums."""
    if isinstance(kind, NullType):
        return True
    types = alternatives(hint) - {NoneType}
    if not isinstance(kind, JSON | ARRAY) and kind.python_type is int:
        return types <= {int, Decimal}
    return describes(reduce(or_, types), kind)


# ---------------------------------------------------------------- mypy

USES = """
from ledgerkit.core.platform import records
from ledgerkit.core.sales.clients.table import ClientRow, client
from ledgerkit.core.platform.database.row_types import Row, Values
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.tasks.table import TaskRow
from sqlalchemy import select


class NameRow(Row):
    name: str
    items: int


NAMES = Prepared(select(client.c.name), NameRow)


async def use(ctx: Context) -> None:
    row = await records.fetch(ctx, client, "1", "client")
    reveal_type(row)
    reveal_type(row.tax_id)
    reveal_type((await NAMES.one(ctx.db)).items)
    row.nickname
    row["name"]
    row.dir3["managingBody"]
    (await NAMES.row(ctx.db)).name
    (await records.fetch_locked(ctx, client, "1", "client")).nickname


async def write(ctx: Context, row: ClientRow) -> None:
    reveal_type(Values(ClientRow, name="Ana", tax_id=None))
    reveal_type(Values(ClientRow, name="Ana").of(ClientRow.name))
    Values(ClientRow, nmae="Ana")
    Values(ClientRow, name=3)
    Values(ClientRow, name=None)
    Values(ClientRow, dir3={"managingBody": "L01"})
    Values(ClientRow, name="Ana").of(ClientRow.nickname)
    Values(ClientRow, name="Ana") | Values(TaskRow, title="Call")
    Values(ClientRow, name="Ana")["name"] = "Eva"
    await records.change(ctx, client, row.id, {"name": "Ana"})
    await records.change(ctx, client, row.id, Values(TaskRow, title="Call"))
    await records.add(ctx, client, row)
"""


@pytest.mark.whole
def test_mypy_knows_the_columns_of_a_row_and_refuses_all_others(tmp_path):
    file = tmp_path / "uses.py"
    file.write_text(USES)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), str(file)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    told = [line.partition(": ")[2] for line in done.stdout.splitlines() if "uses.py" in line]
    types = [line.removeprefix("note: Revealed type is ") for line in told if "Revealed" in line]
    refused = Counter(line.rpartition("  ")[2] for line in told if line.startswith("error: "))
    rows = "ledgerkit.core.platform.database.row_types"
    assert types == [
        '"ledgerkit.core.sales.clients.table.ClientRow"',
        '"str | None"',
        '"int"',
        f'"{rows}.Values[ledgerkit.core.sales.clients.table.ClientRow]"',
        '"str"',
    ], done.stdout + done.stderr
    assert refused == {
        "[attr-defined]": 3,
        "[index]": 3,
        "[union-attr]": 1,
        "[call-arg]": 1,
        "[arg-type]": 6,
        "[misc]": 1,
    }, done.stdout + done.stderr
