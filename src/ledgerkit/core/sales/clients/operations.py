"""Clients: list, read, create, change and delete them, and match them to invoices."""

from collections.abc import Awaitable, Callable, Mapping
from decimal import Decimal
from typing import TypeAlias
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    ColumnElement,
    Numeric,
    Text,
    Uuid,
    any_,
    bindparam,
    cast,
    func,
    literal,
    literal_column,
    select,
)

from ledgerkit import clock
from ledgerkit.core.platform import records
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.api_types.list_pages import Page, PageRequest
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.database.row_types import Row, Values
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.stored_json import StoredJson
from ledgerkit.core.platform.documents import legal_forms, tax_ids
from ledgerkit.core.platform.documents.languages import check_language
from ledgerkit.core.platform.records import counters, namesakes, search
from ledgerkit.core.platform.records.listing import Listing
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.sales.clients import acts
from ledgerkit.core.sales.clients.api import Client, ClientChange, ClientInput
from ledgerkit.core.sales.clients.table import DIR3, ClientRow, Dir3, client
from ledgerkit.core.sales.clients.texts import ClientsMsg
from ledgerkit.money import CENT
from ledgerkit.problems import Code, Conflict, Invalid

ALL = "client"
MOST_NAMED = 10
"""Clients of one name that are looked at."""


class CompanyRow(Row):
    """Row that says whether a client is a company, and whether somebody has stated it."""

    is_company: bool
    is_company_stated: bool


COUNTERS = ("client.count", "client.invoiced", "client.balance")
"""Kinds of the counters of each client, before its id."""


Follower: TypeAlias = Callable[[Context, ClientRow, ClientRow], Awaitable[None]]
"""Takes over a change of a client, from the row before to the row after it, in the same transaction."""

_FOLLOWERS: list[Follower] = []


def followed_by(follower: Follower) -> None:
    """Let a domain above follow each change of a client: clients know of no invoices (ADR 37)."""
    _FOLLOWERS.append(follower)


def figures(client_id: UUID, *, count: int, invoiced: Decimal, balance: Decimal) -> dict[str, int]:
    """Return what an invoice in the account's currency adds to its client's counters, amounts in cents."""
    cents = (count, int(invoiced * 100), int(balance * 100))
    return {f"{kind}:{client_id}": value for kind, value in zip(COUNTERS, cents, strict=True)}


@operation(Permission.CLIENTS_READ, unit=Unit.READING)
async def listing(ctx: Context, page: PageRequest, query: str | None = None) -> Page:
    """List clients by name. `query` is looked for in name, tax id and e-mail."""
    return await _CLIENTS.page(ctx.db, page, **search.parameters(query))


@operation(Permission.CLIENTS_READ, unit=Unit.READING)
async def get(ctx: Context, client_id: str) -> Client:
    row = await records.fetch(ctx, client, client_id, "client")
    return await _shape(ctx, row)


@operation(
    Permission.CLIENTS_WRITE,
    errors=[(Invalid, {Code.TAX_ID_INVALID}), (Conflict, {Code.CLIENT_EXISTS})],
    act=acts.CREATION,
)
async def create(ctx: Context, data: ClientInput) -> Client:
    """Create a client.

    Raises Invalid TAX_ID_INVALID when the tax id is not valid in the account's own country; in a conversation Conflict
    CLIENT_EXISTS when the account has a client of this name and tax id.
    """
    check_language(ctx, data.language, "language")
    values = _values(ctx, data, DIR3.encode(data.dir3))
    await _require_new(ctx, data.name, values["tax_id"])
    row = await records.add(ctx, client, Values(ClientRow, id=new_id()) | values)
    await counters.add(ctx.db, {ALL: 1})
    await activity.record(ctx, "created", ("client", row.id), row.name)
    return await _shape(ctx, row)


async def _require_new(ctx: Context, name: str, tax_id: object) -> None:
    """Raise Conflict CLIENT_EXISTS for a name and tax id that are stored, if the caller can be asked which is meant."""
    if not isinstance(tax_id, str) or not namesakes.can_be_asked(ctx):
        return
    folded = search.fold(name)
    rows = await of_tax_id(ctx, name, tax_id)
    candidates = namesakes.candidates([row for row in rows if _is_same_name(row.name_key, folded)])
    if candidates:
        listed = namesakes.listed(candidates)
        problem = Conflict(ClientsMsg.EXISTS, code=Code.CLIENT_EXISTS, name=name, listed=listed)
        raise namesakes.asking(problem, candidates)


@operation(
    Permission.CLIENTS_WRITE, errors=[(Invalid, {Code.TAX_ID_INVALID})], effects=Effect.IDEMPOTENT, act=acts.CHANGE
)
async def update(ctx: Context, client_id: str, data: ClientChange) -> Client:
    """Change the fields given. The client's drafts follow unless their copy was edited; issued invoices keep theirs."""
    check_language(ctx, data.language, "language")
    old = await records.fetch_locked(ctx, client, client_id, "client")
    changed = {name: getattr(data, name) for name in data.model_fields_set}
    if "dir3" in changed:
        changed["dir3"] = DIR3.encode(data.dir3)
    for name in ("country", "is_company"):
        if changed.get(name, ...) is None:
            del changed[name]
    previous = {name: getattr(old, name) for name in ClientInput.model_fields}
    merged = previous | changed
    values = _values(ctx, ClientInput.model_construct(**merged), merged["dir3"])
    if "is_company" not in changed:
        values |= Values(ClientRow, is_company_stated=old.is_company_stated or _acts_as_business(merged))
    row = await records.change(ctx, client, old.id, values)
    await activity.record(ctx, "updated", ("client", row.id), row.name, activity.changed(previous, changed))
    for follower in _FOLLOWERS:
        await follower(ctx, old, row)
    return await _shape(ctx, row)


@operation(Permission.CLIENTS_DELETE, effects=Effect.DESTRUCTIVE | Effect.IDEMPOTENT, act=acts.DELETION)
async def delete(ctx: Context, client_id: str) -> None:
    """Delete a client: it leaves the lists. Its invoices keep their own copy."""
    row = await records.fetch_locked(ctx, client, client_id, "client")
    await records.change(ctx, client, row.id, Values(ClientRow, deleted_at=clock.now()))
    await counters.add(ctx.db, {ALL: -1})
    await activity.record(ctx, "deleted", ("client", row.id), row.name)


async def restore(ctx: Context, client_id: str) -> None:
    """Show a deleted client in the lists again. Raises NotFound, Forbidden."""
    ctx.require(Permission.CLIENTS_DELETE)
    row = await records.fetch_locked(ctx, client, client_id, "client", hidden=True)
    if row.deleted_at is None:
        return
    await records.change(ctx, client, row.id, Values(ClientRow, deleted_at=None))
    await counters.add(ctx.db, {ALL: 1})
    await activity.record(ctx, "restored", ("client", row.id), row.name)


async def stored(ctx: Context, client_id: str) -> ClientRow:
    """Return the stored client's row. Raises NotFound."""
    return await records.fetch(ctx, client, client_id, "client")


async def bears_surcharge(ctx: Context, client_id: UUID | None) -> bool:
    """Return True when a stored client, deleted or not, is under the equivalence surcharge; False without a client."""
    row = None if client_id is None else await _SURCHARGE_OF_CLIENT.row(ctx.db, client_id=client_id)
    return row is not None and row.equivalence_surcharge


async def company_of(ctx: Context, client_id: UUID | None) -> CompanyRow | None:
    """Return what the card of a client says about its being a company, deleted or not; None without a client."""
    return None if client_id is None else await _COMPANY_OF_CLIENT.row(ctx.db, client_id=client_id)


async def of_tax_id(ctx: Context, name: str, tax_id: str) -> list[ClientRow]:
    """Return the stored clients with this tax id whose name matches too; where none does, all of them, newest first.

    Of the same name, those with an address come first, the oldest of them before the others. At most MOST_NAMED.
    """
    folded = search.fold(name)
    rows = await _BY_TAX_ID.rows(ctx.db, tax_id=tax_id, name_key=folded)
    named = [row for row in rows if _is_same_name(row.name_key, folded)]
    return sorted(named, key=lambda row: (not row.address, row.id)) or rows


def _is_same_name(name_key: str, folded: str) -> bool:
    """Return True for names that differ at most in spaces, and in the signs of their legal form."""
    of_company = legal_forms.parts(name_key)
    return "".join(name_key.split()) == "".join(folded.split()) or (
        of_company is not None and of_company == legal_forms.parts(folded)
    )


async def of_name(ctx: Context, name: str, country: str | None) -> list[ClientRow]:
    """Return the stored clients of this name, case, accents and spaces apart, the newest first; at most MOST_NAMED.

    Where nobody has the name, those who only write its legal form with other signs. With `country` those of that
    country only.
    """
    folded = search.fold(name)
    named = await _BY_NAME.rows(ctx.db, bare_names=["".join(folded.split())], country=country)
    if named or not (spellings := legal_forms.spellings(folded)):
        return named
    rows = await _BY_NAME.rows(ctx.db, bare_names=list(spellings), country=country)
    return [row for row in rows if legal_forms.parts(row.name_key) == legal_forms.parts(folded)]


class SurchargedRow(Row):
    """Row with a client's equivalence surcharge."""

    equivalence_surcharge: bool


_SURCHARGE_OF_CLIENT = Prepared(
    select(client.c.equivalence_surcharge).where(client.c.id == bindparam("client_id", type_=Uuid)), SurchargedRow
)


_COMPANY_OF_CLIENT = Prepared(
    select(client.c.is_company, client.c.is_company_stated).where(client.c.id == bindparam("client_id", type_=Uuid)),
    CompanyRow,
)
_SAME_NAME_KEY = client.c.name_key == bindparam("name_key", type_=Text)
_BARE_NAME = func.replace(client.c.name_key, literal_column("' '"), literal_column("''"))
_HAS_BARE_NAME = any_(bindparam("bare_names", type_=ARRAY(Text))) == _BARE_NAME
_OF_COUNTRY = bindparam("country", type_=Text)
_BY_NAME = Prepared(
    select(client)
    .where(
        _HAS_BARE_NAME,
        client.c.country == func.coalesce(_OF_COUNTRY, client.c.country),
        client.c.deleted_at.is_(None),
    )
    .order_by(client.c.id.desc())
    .limit(MOST_NAMED),
    ClientRow,
)
_BY_TAX_ID = Prepared(
    select(client)
    .where(client.c.tax_id == bindparam("tax_id", type_=Text), client.c.deleted_at.is_(None))
    .order_by(_SAME_NAME_KEY.desc(), client.c.id.desc())
    .limit(MOST_NAMED),
    ClientRow,
)


def _values(ctx: Context, data: ClientInput, dir3: StoredJson[Dir3] | None) -> Values[ClientRow]:
    """Return the columns of a client. Raises Invalid TAX_ID_INVALID."""
    country = data.country or ctx.account.country
    tax_id = tax_ids.normalised(ctx, data.tax_id, country, "taxId", data.tax_id_kind)
    acts_as_business = _acts_as_business(vars(data))
    is_of_person = data.tax_id_kind is not None or tax_ids.is_of_person(ctx, tax_id, country)
    is_person = is_of_person and not acts_as_business
    return Values.copied(ClientRow, data, ClientInput.model_fields) | Values(
        ClientRow,
        country=country,
        tax_id=tax_id,
        is_company=not is_person if data.is_company is None else data.is_company,
        is_company_stated=data.is_company is not None or acts_as_business,
        dir3=dir3,
        warnings=[] if data.tax_id_kind else tax_ids.doubts(ctx, tax_id, country, "taxId"),
        name_key=search.fold(data.name),
        search_text=search.searchable(data.name, tax_id, data.email),
    )


def _acts_as_business(fields: Mapping[str, object]) -> bool:
    """Return True for a client that retains income tax or bears the surcharge, as only businesses do."""
    return bool(fields["default_retention_rate"] or fields["equivalence_surcharge"])


def _count_of(kind: str) -> ColumnElement[int]:
    counts_of_client = counters.counter.c.kind == func.concat(f"{kind}:", client.c.id)
    return select(func.coalesce(func.sum(counters.counter.c.count), 0)).where(counts_of_client).scalar_subquery()


def _amount_of(kind: str) -> ColumnElement[Decimal]:
    return cast(_count_of(kind) * literal(CENT), Numeric(17, 2))


_CLIENTS = Listing(
    client,
    Client,
    order=[client.c.name_key, client.c.id],
    computed={
        "invoice_count": _count_of("client.count"),
        "total_invoiced": _amount_of("client.invoiced"),
        "balance": _amount_of("client.balance"),
    },
    filters=search.filters(client),
    totals={frozenset(): counters.total([ALL])},
)


async def _shape(ctx: Context, row: ClientRow) -> Client:
    counts = dict(await counters.read(ctx.db, [f"{kind}:{row.id}" for kind in COUNTERS]))
    count, invoiced, balance = (counts.get(f"{kind}:{row.id}", 0) for kind in COUNTERS)
    return _CLIENTS.shape(
        row,
        dir3=DIR3.decode(row.dir3),
        invoice_count=count,
        total_invoiced=Decimal(invoiced) / 100,
        balance=Decimal(balance) / 100,
    )
