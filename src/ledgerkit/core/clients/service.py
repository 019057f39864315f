"""Clients: find, keep, change, hide."""

from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Label, Numeric, Text, Uuid, bindparam, cast, func, literal, select

from ledgerkit import clock
from ledgerkit.core import records
from ledgerkit.core.activity import service as activity
from ledgerkit.core.api_types.paging import Page, PageRequest, PageRow, fetch_page, page_statement
from ledgerkit.core.api_types.wire import wire_column, wire_time
from ledgerkit.core.clients.models import DIR3, ClientRow, client
from ledgerkit.core.clients.schemas import Client, ClientChange, ClientInput
from ledgerkit.core.database.ids import new_id
from ledgerkit.core.database.row_types import Row
from ledgerkit.core.database.statements import Prepared
from ledgerkit.core.documents import tax_ids
from ledgerkit.core.documents.languages import check_language
from ledgerkit.core.records import counters, search
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Unit, operation
from ledgerkit.core.request.permissions import Permission
from ledgerkit.money import CENT

LISTED = "client"
_FIGURES = ("client.count", "client.invoiced", "client.balance")
_HIDDEN = {"account_id", "version", "name_key", "search_text", "deleted_at", "created_at", "updated_at"}


def figures(client_id: UUID, *, count: int, invoiced: Decimal, balance: Decimal) -> dict[str, int]:
    """What an invoice of the account's currency changes in its client's figures: a tally, amounts in cents."""
    cents = (count, int(invoiced * 100), int(balance * 100))
    return {f"{kind}:{client_id}": value for kind, value in zip(_FIGURES, cents, strict=True)}


@operation(Permission.CLIENTS_READ, unit=Unit.READING)
async def listing(ctx: Context, page: PageRequest, query: str | None = None) -> Page:
    """Clients by name, found by name, tax id or e-mail."""
    if not query or not query.strip():
        return await fetch_page(ctx.db, _list_statement(searching=False), page)
    return await fetch_page(ctx.db, _list_statement(searching=True), page, **search.sought(query))


@operation(Permission.CLIENTS_READ, unit=Unit.READING)
async def get(ctx: Context, client_id: str) -> Client:
    row = await records.fetch(ctx, client, client_id, "client")
    return await _client(ctx, row)


@operation(Permission.CLIENTS_WRITE)
async def create(ctx: Context, data: ClientInput) -> Client:
    """A new client. Raises Invalid TAX_ID_INVALID when the tax id is not one of the account's own country."""
    check_language(ctx, data.language, "language")
    values = _values(ctx, data.model_dump(exclude={"dir3"}) | {"dir3": DIR3.encode(data.dir3)})
    row = await records.add(ctx, client, {"id": new_id(), **values})
    await counters.add(ctx.db, {LISTED: 1})
    await activity.record(ctx, "created", ("client", row.id), row.name)
    return await _client(ctx, row)


@operation(Permission.CLIENTS_WRITE)
async def update(ctx: Context, client_id: str, data: ClientChange) -> Client:
    """Change the fields given. Invoices keep the client as it was when they were made."""
    check_language(ctx, data.language, "language")
    old = await records.fetch_locked(ctx, client, client_id, "client")
    given: dict[str, object] = {name: getattr(data, name) for name in data.model_fields_set}
    if "dir3" in given:
        given["dir3"] = DIR3.encode(data.dir3)
    if given.get("country", ...) is None:
        del given["country"]
    before: dict[str, object] = {name: getattr(old, name) for name in ClientInput.model_fields}
    row = await records.change(ctx, client, old.id, _values(ctx, before | given))
    await activity.record(ctx, "updated", ("client", row.id), row.name, activity.changed(before, given))
    return await _client(ctx, row)


@operation(Permission.CLIENTS_DELETE)
async def delete(ctx: Context, client_id: str) -> None:
    """Hide a client. Its invoices stay whole: they carry their own copy."""
    row = await records.fetch_locked(ctx, client, client_id, "client")
    await records.change(ctx, client, row.id, {"deleted_at": clock.now()})
    await counters.add(ctx.db, {LISTED: -1})
    await activity.record(ctx, "deleted", ("client", row.id), row.name)


async def stored(ctx: Context, client_id: str) -> ClientRow:
    """The stored client's row. Raises NotFound."""
    return await records.fetch(ctx, client, client_id, "client")


async def bears_surcharge(ctx: Context, client_id: UUID | None) -> bool:
    """Whether a stored client, hidden or not, is under the equivalence surcharge; nobody is not."""
    row = None if client_id is None else await _SURCHARGED.row(ctx.db, client_id=client_id)
    return row is not None and row.equivalence_surcharge


async def match(ctx: Context, name: str, tax_id: str | None) -> ClientRow | None:
    """The stored client with this tax id: the one whose name matches too, else the newest, else None.

    Without a tax id: the newest of that name that has none either.
    """
    key = search.fold(name)
    if tax_id is None:
        return await _SAME_NAME.row(ctx.db, name_key=key)
    return await _SAME_TAX_ID.row(ctx.db, tax_id=tax_id, name_key=key)


class SurchargedRow(Row):
    """Row of the statement that asks only for a client's equivalence surcharge."""

    equivalence_surcharge: bool


_SURCHARGED = Prepared(
    select(client.c.equivalence_surcharge).where(client.c.id == bindparam("client_id", type_=Uuid)), SurchargedRow
)
_SAME = client.c.name_key == bindparam("name_key", type_=Text)
_SAME_NAME = Prepared(
    select(client)
    .where(client.c.tax_id.is_(None), _SAME, client.c.deleted_at.is_(None))
    .order_by(client.c.id.desc())
    .limit(1),
    ClientRow,
)
_SAME_TAX_ID = Prepared(
    select(client)
    .where(client.c.tax_id == bindparam("tax_id", type_=Text), client.c.deleted_at.is_(None))
    .order_by(_SAME.desc(), client.c.id.desc())
    .limit(1),
    ClientRow,
)


def _values(ctx: Context, given: Mapping[str, Any]) -> dict[str, Any]:
    country = given["country"] or ctx.account.country
    tax_id = tax_ids.normalised(ctx, given["tax_id"], country, "taxId", given["tax_id_kind"])
    found_by = search.searchable(given["name"], tax_id, given["email"])
    return {
        **given,
        "country": country,
        "tax_id": tax_id,
        "warnings": [] if given["tax_id_kind"] else _warnings(ctx, tax_id, country),
        "name_key": search.fold(given["name"]),
        "search_text": found_by,
    }


@cache
def _list_statement(*, searching: bool) -> Prepared[PageRow]:
    wanted: list[ColumnElement[bool]] = [client.c.deleted_at.is_(None)]
    if searching:
        wanted.append(search.contains(client))
    rows = select(*_wire_columns()).where(*wanted).order_by(client.c.name_key, client.c.id)
    counted = select(func.count()).select_from(client).where(*wanted).scalar_subquery()
    return page_statement(rows, counted if searching else counters.total([LISTED]))


def _wire_columns() -> list[Label[Any]]:
    plain = [wire_column(column.name, column) for column in client.c if column.name not in _HIDDEN]
    return [
        *plain,
        wire_column("invoice_count", _figure("client.count")),
        wire_column("total_invoiced", _euros("client.invoiced")),
        wire_column("balance", _euros("client.balance")),
        wire_column("created_at", wire_time(client.c.created_at)),
        wire_column("updated_at", wire_time(client.c.updated_at)),
    ]


def _figure(kind: str) -> ColumnElement[int]:
    of_client = counters.counter.c.kind == func.concat(f"{kind}:", client.c.id)
    return select(func.coalesce(func.sum(counters.counter.c.count), 0)).where(of_client).scalar_subquery()


def _euros(kind: str) -> ColumnElement[Decimal]:
    return cast(_figure(kind) * literal(CENT), Numeric(17, 2))


async def _client(ctx: Context, row: ClientRow) -> Client:
    sums = dict(await counters.read(ctx.db, [f"{kind}:{row.id}" for kind in _FIGURES]))
    count, invoiced, balance = (sums.get(f"{kind}:{row.id}", 0) for kind in _FIGURES)
    plain = {column.name: getattr(row, column.name) for column in client.c if column.name not in _HIDDEN}
    return Client.model_validate(
        plain
        | {
            "id": str(row.id),
            "dir3": DIR3.decode(row.dir3),
            "invoice_count": count,
            "total_invoiced": Decimal(invoiced) / 100,
            "balance": Decimal(balance) / 100,
            "created_at": row.created_at,
            "updated_at": row.updated_at,
            "version": row.version,
        }
    )


def _warnings(ctx: Context, tax_id: str | None, country: str) -> list[str]:
    """Doubts about a foreign tax id: said, never refused."""
    if not tax_id:
        return []
    verdict = tax_ids.check(ctx, tax_id, country)
    return [] if verdict.valid else [f"taxId: {verdict.reason}"]
