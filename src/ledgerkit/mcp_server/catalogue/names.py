"""Names beside ids, so that agents can write about records in words that people know."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from ledgerkit.core.platform.api_types.json_answers import Json, as_json
from ledgerkit.core.platform.api_types.list_pages import MAX_SIZE, Page, PageRequest
from ledgerkit.core.platform.request.acts import short
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.purchases.supplier_invoices import operations as supplier_invoices
from ledgerkit.core.purchases.vendors import operations as vendors
from ledgerkit.core.sales.clients import operations as clients
from ledgerkit.core.sales.invoices import operations as invoices
from ledgerkit.core.teams.members import operations as members
from ledgerkit.mcp_server.messages import McpMsg
from ledgerkit.problems import NotFound, Problem

Find = Callable[[Context, str], Awaitable[object]]

_NAMES: Mapping[str, tuple[str, Find, str]] = {
    "clientId": ("clientName", clients.get, "name"),
    "invoiceId": ("invoiceNumber", invoices.get, "number"),
    "supplierInvoiceId": ("invoiceNumber", supplier_invoices.get, "invoiceNumber"),
}
"""By the field of an id: the field for the name, the reader of the record, and the name's field in that record."""

_INVOICES: Mapping[str, str] = {
    "rectifies": "rectifiesNumber",
    "rectifiedBy": "rectifiedByNumbers",
    "substitutes": "substitutesNumbers",
    "substitutedBy": "substitutedByNumber",
}
"""Fields of an invoice with ids of others, and the fields for their numbers."""

MEMBER_ID, MEMBER_NAME = "assignedTo", "assignedToName"


async def with_names(ctx: Context, answer: Json) -> Json:
    """Add to a record, or to each record of a page, the names of its client, document and member; return it."""
    records: list[Json] = answer.get("items", [answer])
    async with ctx.reading() as inner:
        for field, (name_field, find, source) in _NAMES.items():
            ids = {record[field] for record in records if record.get(field)}
            names = {record_id: await _name(inner, find, record_id, source) for record_id in ids}
            _put(records, field, name_field, names)
        if any(record.get(MEMBER_ID) for record in records):
            _put(records, MEMBER_ID, MEMBER_NAME, await _members(inner))
    return answer


async def client_id_of(ctx: Context, named: str | None) -> str | None:
    """Return the id of the client that has this id, or of the only one that has these words. Raises NotFound."""
    if named is None:
        return None
    try:
        return (await clients.get(ctx, named)).id
    except NotFound:
        return await _only_one(partial(clients.listing, ctx), named, McpMsg.CLIENT_NOT_FOUND)


async def vendor_id_of(ctx: Context, named: str | None) -> str | None:
    """Return the id of the vendor that has this id, or of the only one that has these words. Raises NotFound."""
    if named is None:
        return None
    try:
        return (await vendors.get(ctx, named)).id
    except NotFound:
        return await _only_one(partial(vendors.listing, ctx), named, McpMsg.VENDOR_NOT_FOUND)


async def _only_one(listing: Callable[[PageRequest, str], Awaitable[Page]], words: str, message: McpMsg) -> str:
    matching: list[Json] = as_json(await listing(PageRequest(1, 2), words))["items"]
    if len(matching) == 1:
        return str(matching[0]["id"])
    raise NotFound(message, name=short(words))


async def with_numbers(ctx: Context, invoice: Json) -> Json:
    """Add to an invoice the numbers of the invoices that it names by their ids; return it."""
    if not any(invoice.get(field) for field in _INVOICES):
        return invoice
    async with ctx.reading() as inner:
        for field, number_field in _INVOICES.items():
            ids = invoice.get(field)
            if isinstance(ids, str):
                invoice[number_field] = await _name(inner, invoices.get, ids, "number")
            elif ids:
                invoice[number_field] = [await _name(inner, invoices.get, each, "number") for each in ids]
    return invoice


def _put(records: list[Json], field: str, name_field: str, names: Mapping[str, Any]) -> None:
    for record in records:
        if record.get(field) is not None:
            record[name_field] = names.get(record[field])


async def _name(ctx: Context, find: Find, record_id: str, source: str) -> Any:
    """Return the name in a record; None if the record is gone or the caller may not read it."""
    try:
        return as_json(await find(ctx, record_id))[source]
    except Problem:
        return None


async def _members(ctx: Context) -> Mapping[str, str]:
    if not ctx.account.is_team:
        return {}
    page = await members.list_members(ctx, PageRequest(1, MAX_SIZE))
    return {member["userId"]: member["name"] for member in as_json(page)["items"]}
