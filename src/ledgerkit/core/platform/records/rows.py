"""One record: add it, fetch it under its lock, check the version the caller has seen, change it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar, overload
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    CTE,
    ColumnClause,
    ColumnElement,
    Label,
    Select,
    Table,
    Text,
    Update,
    Uuid,
    bindparam,
    cast,
    column,
    exists,
    func,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import Insert, insert
from sqlalchemy.sql.expression import ClauseElement
from sqlalchemy.sql.selectable import TableValuedAlias

from ledgerkit.core.platform.database.ids import as_id, missing
from ledgerkit.core.platform.database.row_types import AccountRow, Row, RowT, Values
from ledgerkit.core.platform.database.statements import (
    NO_EXTRA_WRITES,
    ExtraWrites,
    Prepared,
    constant,
    extra_write_ctes,
)
from ledgerkit.core.platform.database.tables import JSON, TypedTable
from ledgerkit.core.platform.records import counters, search
from ledgerkit.core.platform.records.search import search_word
from ledgerkit.core.platform.records.texts import RecordsMsg
from ledgerkit.core.platform.request.context import Context
from ledgerkit.money import dumps_exact
from ledgerkit.problems import PreconditionFailed

AccountRowT = TypeVar("AccountRowT", bound=AccountRow)
WiderRowT = TypeVar("WiderRowT", bound=AccountRow)

CHUNK = 100
"""Records of one statement of `add_many`."""


@dataclass(frozen=True, eq=False)
class ValueBeforeLock(Generic[WiderRowT]):
    """A value that a locked fetch gives with the record, as it was before the lock was waited for.

    `value` may use the parameter `record_id`; `row` is the type of the record's row with that value.
    """

    value: Label[Any]
    row: type[WiderRowT]


async def add(ctx: Context, table: TypedTable[RowT], values: Values[RowT]) -> RowT:
    """Insert a record and give it as it is stored."""
    statement: Prepared[RowT] = _insert(table, tuple(values))
    return await statement.one(ctx.db, **values, **_words(values))


async def add_unless_there(ctx: Context, table: TypedTable[RowT], values: Values[RowT]) -> RowT | None:
    """Insert a record; None where a unique index has its like already. Waits for whoever is inserting that like."""
    statement: Prepared[RowT] = _insert_unless_there(table, tuple(values))
    return await statement.row(ctx.db, **values, **_words(values))


async def add_all(
    ctx: Context, table: TypedTable[RowT], rows: Sequence[Values[RowT]], *, counted: bool = False
) -> None:
    """Insert records of the same columns in one statement; `counted`: and count them, by the table's name."""
    values = {f"{name}_{place}": value for place, row in enumerate(rows) for name, value in row.items()}
    await _insert_several(table, tuple(rows[0]), len(rows), counted=counted).run(ctx.db, **values)
    await _keep_words(ctx, table, rows)


async def add_many(
    ctx: Context, table: TypedTable[RowT], rows: Sequence[Values[RowT]], *, counted: bool = False
) -> None:
    """`add_all` for any number of records, CHUNK at a time: writing thousands as JSON would let everybody wait."""
    statement = _insert_many(table, tuple(rows[0]), counted=counted)
    for start in range(0, len(rows), CHUNK):
        chunk = rows[start : start + CHUNK]
        await statement.run(ctx.db, given=dumps_exact([dict(row) for row in chunk]))
        await _keep_words(ctx, table, chunk)


async def change_many(
    ctx: Context, table: TypedTable[AccountRowT], rows: Sequence[Values[AccountRowT]]
) -> dict[UUID, AccountRowT]:
    """Write to each record, named by `id`, its new values, count its version up, and give them as they are now.

    The caller holds their locks: one statement locks in no order.
    """
    new_values = dumps_exact([dict(row) for row in rows])
    await _keep_words(ctx, table, rows)
    statement: Prepared[AccountRowT] = _update_many(table, tuple(rows[0]))
    return {row.id: row for row in await statement.rows(ctx.db, given=new_values)}


async def repoint(ctx: Context, table: Table, link: str, *, old: UUID, new: UUID) -> int:
    """Let every record whose column `link` names `old` name `new`, count their versions up, and return how many.

    Deleted ones are repointed as well: they may be restored.
    """
    return len(await _repoint(table, link).rows(ctx.db, old=old, new=new))


async def is_named(ctx: Context, table: Table, link: str, target: UUID) -> bool:
    """Return True where the column `link` of a record that is not deleted names `target`."""
    return (await _naming(table, link).one(ctx.db, target=target)).is_named


async def fetch(ctx: Context, table: TypedTable[RowT], record_id: str, what: str) -> RowT:
    """The account's record, read only. Raises NotFound, also for a malformed id."""
    statement: Prepared[RowT] = _select(table, lock=False, hidden=False, before=None)
    return _present(await statement.row(ctx.db, record_id=as_id(record_id, what)), record_id, what)


async def fetch_pair_locked(
    ctx: Context, table: TypedTable[AccountRowT], first_id: str, second_id: UUID, what: str
) -> tuple[AccountRowT, AccountRowT]:
    """Return two records, locked in the order of their ids so that two callers never wait for each other.

    Raises NotFound, for the first one before the second.
    """
    first = (await fetch(ctx, table, first_id, what)).id
    rows = {key: await fetch_locked(ctx, table, str(key), what) for key in sorted((first, second_id))}
    return rows[first], rows[second_id]


@overload
async def fetch_locked(
    ctx: Context, table: TypedTable[AccountRowT], record_id: str, what: str, *, hidden: bool = False
) -> AccountRowT: ...
@overload
async def fetch_locked(
    ctx: Context,
    table: TypedTable[Any],
    record_id: str,
    what: str,
    *,
    hidden: bool = False,
    before: ValueBeforeLock[WiderRowT],
) -> WiderRowT: ...
async def fetch_locked(
    ctx: Context,
    table: TypedTable[AccountRowT],
    record_id: str,
    what: str,
    *,
    hidden: bool = False,
    before: ValueBeforeLock[Any] | None = None,
) -> AccountRow:
    """The account's record, locked until the transaction ends, and at the version of `If-Match` if one was sent.

    `hidden`: a deleted one too. `before` is given with the record, which itself is always as it is now. The first
    locked fetch of a request answers If-Match, so nested operations do not ask it again. Raises NotFound,
    PreconditionFailed.
    """
    statement: Prepared[AccountRow] = _select(table, lock=True, hidden=hidden, before=before)
    row = _present(await statement.row(ctx.db, record_id=as_id(record_id, what)), record_id, what)
    if not ctx.request_metadata.expects(row.version):
        raise PreconditionFailed(RecordsMsg.VERSION_CHANGED, what=what, version=row.version)
    return row


async def change(
    ctx: Context,
    table: TypedTable[AccountRowT],
    record_id: UUID,
    values: Values[AccountRowT],
    extra_writes: ExtraWrites = NO_EXTRA_WRITES,
) -> AccountRowT:
    """Write `values`, count the version up, and give the record as it is now; in one round trip with `extra_writes`."""
    statement: Prepared[AccountRowT] = _update(table, tuple(values), extra_writes.statements)
    return await statement.one(ctx.db, record_id=record_id, **values, **_words(values), **extra_writes.values)


def _words(values: Values[RowT]) -> dict[str, object]:
    """The words that the statements below keep of a record that can be searched (core/platform/records/search)."""
    return {"search_words": search.words(str(values["search_text"]))} if "search_text" in values else {}


async def _keep_words(ctx: Context, table: Table, rows: Sequence[Values[RowT]]) -> None:
    words = [
        (row["id"], word) for row in rows if "search_text" in row for word in search.words(str(row["search_text"]))
    ]
    if words:
        ids, texts = zip(*words, strict=True)
        await _KEEP_WORDS.run(ctx.db, kind=table.name, entity_ids=list(ids), search_words=list(texts))


def _present(row: RowT | None, record_id: str, what: str) -> RowT:
    if row is None:
        raise missing(what, record_id)
    return row


@lru_cache(maxsize=512)
def _insert(table: Table, columns: tuple[str, ...]) -> Prepared[Any]:
    values = {name: bindparam(name, type_=table.c[name].type) for name in columns}
    return Prepared(_with_words(table, columns, insert(table).values(values), bindparam("id", type_=table.c.id.type)))


@lru_cache(maxsize=128)
def _insert_unless_there(table: Table, columns: tuple[str, ...]) -> Prepared[Any]:
    values = {name: bindparam(name, type_=table.c[name].type) for name in columns}
    return Prepared(_with_words(table, columns, insert(table).values(values).on_conflict_do_nothing()))


@lru_cache(maxsize=128)
def _insert_several(table: Table, columns: tuple[str, ...], count: int, *, counted: bool) -> Prepared[Any]:
    rows = [
        {name: bindparam(f"{name}_{place}", type_=table.c[name].type) for name in columns} for place in range(count)
    ]
    statement = insert(table).values(rows)
    return Prepared(counters.counting(statement, table.name) if counted else statement)


@lru_cache(maxsize=128)
def _insert_many(table: Table, columns: tuple[str, ...], *, counted: bool) -> Prepared[Any]:
    recordset = _recordset(table, columns)
    statement = insert(table).from_select(columns, select(*(recordset.c[name] for name in columns)))
    return Prepared(counters.counting(statement, table.name) if counted else statement)


@lru_cache(maxsize=128)
def _update_many(table: Table, columns: tuple[str, ...]) -> Prepared[Any]:
    recordset = _recordset(table, columns)
    values = {name: recordset.c[name] for name in columns if name != "id"}
    stamped = {"version": table.c.version + 1, "updated_at": func.now()}
    return Prepared(update(table).values({**values, **stamped}).where(table.c.id == recordset.c.id).returning(*table.c))


def _recordset(table: Table, columns: tuple[str, ...]) -> TableValuedAlias:
    """The parameter `given`, an array of objects, as rows of these columns."""
    types: list[ColumnClause[Any]] = [column(name, table.c[name].type) for name in columns]
    rows = func.json_to_recordset(cast(bindparam("given", type_=Text), JSON)).table_valued(*types, name="given")
    return rows.render_derived(with_types=True)


class _IdRow(Row):
    id: UUID


@lru_cache(maxsize=32)
def _repoint(table: Table, link: str) -> Prepared[_IdRow]:
    column_type = table.c[link].type
    stamped = {"version": table.c.version + 1, "updated_at": func.now()}
    statement = update(table).where(table.c[link] == bindparam("old", type_=column_type))
    values = {link: bindparam("new", type_=column_type), **stamped}
    return Prepared(statement.values(values).returning(table.c.id), _IdRow)


class _NamedRow(Row):
    is_named: bool


@lru_cache(maxsize=32)
def _naming(table: Table, link: str) -> Prepared[_NamedRow]:
    names = table.c[link] == bindparam("target", type_=table.c[link].type)
    return Prepared(select(exists().where(names, table.c.deleted_at.is_(None)).label("is_named")), _NamedRow)


@lru_cache(maxsize=128)
def _select(table: Table, *, lock: bool, hidden: bool, before: ValueBeforeLock[Any] | None) -> Prepared[Any]:
    values_before = () if before is None else (before.value,)
    query = select(table, *values_before).where(table.c.id == bindparam("record_id", type_=table.c.id.type))
    if "deleted_at" in table.c and not hidden:
        query = query.where(table.c.deleted_at.is_(None))
    return Prepared(query.with_for_update(of=table) if lock else query)


@lru_cache(maxsize=512)
def _update(table: Table, columns: tuple[str, ...], extra_writes: tuple[Insert | Update, ...]) -> Prepared[Any]:
    stamped = {"version": table.c.version + 1, "updated_at": func.now()}
    values = {name: bindparam(name, type_=table.c[name].type) for name in columns}
    record_id = bindparam("record_id", type_=table.c.id.type)
    statement = update(table).where(table.c.id == record_id).values({**values, **stamped})
    return Prepared(_with_words(table, columns, statement, record_id, extra_write_ctes(extra_writes)))


def _with_words(
    table: Table,
    columns: tuple[str, ...],
    statement: Insert | Update,
    record_id: ColumnElement[UUID] | None = None,
    extra_writes: Sequence[CTE] = (),
) -> ClauseElement:
    """Let the statement give its row and, in the same round trip, keep the words of a new text and the extra writes.

    Without `record_id` they are those of the row that was written, if one was.
    """
    written = statement.returning(*table.c)
    if "search_text" not in columns:
        return select(written.cte("written")).add_cte(*extra_writes) if extra_writes else written
    row = written.cte("written")
    word = func.unnest(bindparam("search_words", type_=ARRAY(Text)))
    entity_id = row.c.id if record_id is None else record_id
    return select(row).add_cte(_insert_words(select(constant(table.name), word, entity_id)).cte("kept"), *extra_writes)


def _insert_words(words: Select[Any]) -> Insert:
    new = insert(search_word).from_select(["kind", "word", "entity_id"], words)
    return new.on_conflict_do_nothing()


_KEEP_WORDS = Prepared(
    _insert_words(
        select(
            bindparam("kind", type_=Text),
            func.unnest(bindparam("search_words", type_=ARRAY(Text))),
            func.unnest(bindparam("entity_ids", type_=ARRAY(Uuid))),
        )
    )
)
