"""Vendors: find, keep, change, remove."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

import asyncpg
from sqlalchemy import ColumnElement, Label, Text, Uuid, bindparam, func, select

from ledgerkit.core import records
from ledgerkit.core.activity import service as activity
from ledgerkit.core.api_types.paging import Page, PageRequest, PageRow, fetch_page, page_statement
from ledgerkit.core.api_types.wire import wire_column, wire_time
from ledgerkit.core.database.ids import as_id, missing, new_id
from ledgerkit.core.database.statements import Prepared
from ledgerkit.core.documents import tax_ids
from ledgerkit.core.records import counters, search
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Unit, operation
from ledgerkit.core.request.permissions import Permission
from ledgerkit.core.vendors.models import VendorRow, vendor
from ledgerkit.core.vendors.schemas import Vendor, VendorChange, VendorInput
from ledgerkit.problems import Code, Conflict, Invalid, bilingual, bilingual_field

LISTED = "vendor"
MAX_KEY = 200
"""Characters of a name or tax id that tell vendors apart: an index entry holds no more."""

_HIDDEN = {"account_id", "version", "name_key", "tax_key", "search_text", "created_at", "updated_at"}
_SHOWN = [column for column in vendor.c if column.name not in _HIDDEN]


@operation(Permission.VENDORS_READ, unit=Unit.READING)
async def listing(ctx: Context, page: PageRequest, query: str | None = None) -> Page:
    """Vendors by name, found by name, tax id or e-mail."""
    if not query or not query.strip():
        return await fetch_page(ctx.db, _list_statement(searching=False), page)
    return await fetch_page(ctx.db, _list_statement(searching=True), page, **search.sought(query))


@operation(Permission.VENDORS_READ, unit=Unit.READING)
async def get(ctx: Context, vendor_id: str) -> Vendor:
    return _shape(await records.fetch(ctx, vendor, vendor_id, "vendor"))


@operation(Permission.VENDORS_WRITE)
async def create(ctx: Context, data: VendorInput) -> Vendor:
    """A new vendor.

    Raises Conflict VENDOR_EXISTS when the account has one with this tax id, or with this name and both have no tax
    id; Invalid TAX_ID_INVALID when the tax id is not one of the account's own country.
    """
    values = _values(ctx, data.model_dump())
    row = await _added(ctx, values)
    if row is None:
        known, conocido = _told_by(values)
        raise bilingual(
            Conflict,
            (
                f"There is a vendor {known} already.",
                "Find it with GET /api/vendors?search=..., and change it instead.",
            ),
            (f"Ya hay un proveedor {conocido}.", "Búscalo con GET /api/vendors?search=... y cambia ese."),
            code=Code.VENDOR_EXISTS,
        )
    return _shape(row)


@operation(Permission.VENDORS_WRITE)
async def update(ctx: Context, vendor_id: str, data: VendorChange) -> Vendor:
    """Change the fields given. Expenses and supplier invoices keep the name they were written with.

    Raises Invalid VENDOR_EXISTS when another vendor has this tax id, or this name and both have no tax id.
    """
    old = await records.fetch_locked(ctx, vendor, vendor_id, "vendor")
    given: dict[str, object] = {name: getattr(data, name) for name in data.model_fields_set}
    if given.get("country", ...) is None:
        del given["country"]
    before: dict[str, object] = {name: getattr(old, name) for name in VendorInput.model_fields}
    values = _values(ctx, before | given)
    try:
        row = await records.change(ctx, vendor, old.id, values)
    except asyncpg.UniqueViolationError:
        known, conocido = _told_by(values)
        raise bilingual_field(
            "taxId" if values["tax_key"] else "name",
            (f"there is another vendor {known}", "Find it with GET /api/vendors?search=..., and use that one."),
            (f"hay otro proveedor {conocido}", "Búscalo con GET /api/vendors?search=... y usa ese."),
            code=Code.VENDOR_EXISTS,
        ) from None
    await activity.record(ctx, "updated", ("vendor", row.id), row.name, activity.changed(before, given))
    return _shape(row)


@operation(Permission.VENDORS_DELETE)
async def delete(ctx: Context, vendor_id: str) -> None:
    """Remove a vendor to which nothing refers. Raises Invalid VENDOR_IN_USE when an expense or invoice does."""
    row = await records.fetch_locked(ctx, vendor, vendor_id, "vendor")
    try:
        await _DELETE.run(ctx.db, vendor_id=row.id)
    except asyncpg.ForeignKeyViolationError as error:
        english, spanish = _REFERRING["expense" if error.table_name == "expense" else "supplier_invoice"]
        raise bilingual(
            Invalid,
            (f"{row.name} cannot be deleted: {english[0]} refer to it.", english[1]),
            (f"{row.name} no se puede borrar: hay {spanish[0]} a su nombre.", spanish[1]),
            code=Code.VENDOR_IN_USE,
        ) from None
    await counters.add(ctx.db, {LISTED: -1})
    await activity.record(ctx, "deleted", ("vendor", row.id), row.name)


_DELETE = Prepared(vendor.delete().where(vendor.c.id == bindparam("vendor_id", type_=Uuid)))
_REFERRING = {
    "expense": (
        ("expenses", "Delete them or name another vendor in them first, or keep this one."),
        ("gastos", "Bórralos o pon antes otro proveedor en ellos, o conserva este."),
    ),
    "supplier_invoice": (
        ("supplier invoices", "Keep this vendor: supplier invoices stay with theirs, cancelled ones too."),
        ("facturas recibidas", "Conserva este proveedor: sus facturas siguen siendo suyas, también las anuladas."),
    ),
}
"""What refers to a vendor by its table, and what to do about it: in English and Spanish."""


# ---------------------------------------------------------------- for those who buy


async def stored(ctx: Context, vendor_id: str) -> VendorRow:
    """The stored vendor's row, kept from being deleted until the transaction ends. Raises NotFound."""
    row = await _BY_ID.row(ctx.db, vendor_id=as_id(vendor_id, "vendor"))
    if row is None:
        raise missing("vendor", vendor_id)
    return row


async def match(ctx: Context, name: str | None, tax_id: str | None) -> VendorRow | None:
    """The stored vendor that is meant, kept from being deleted until the transaction ends; else None.

    The one with this tax id; else the newest of this name, whatever its case and accents: of those without a tax id
    when one is given, since another tax id is another business.
    """
    tax_key, name_key = _tax_key(tax_id), _name_key(name or "")
    row = await _BY_TAX_ID.row(ctx.db, tax_key=tax_key) if tax_key else None
    if row is None and name_key:
        row = await (_BY_NAME_ALONE if tax_key else _BY_NAME).row(ctx.db, name_key=name_key)
    return row


async def matched_or_stored(ctx: Context, name: str, tax_id: str, country: str) -> VendorRow | None:
    """The vendor that `match` finds, else a new one; None for whoever may not keep vendors.

    Of several who name the same unknown vendor at the same time one stores it, and the others find it.
    """
    row = await match(ctx, name, tax_id)
    if row is not None or not ctx.actor.may(Permission.VENDORS_WRITE):
        return row
    values = _values(ctx, VendorInput(name=name, tax_id=tax_id, country=country).model_dump())
    return await _added(ctx, values) or await match(ctx, name, tax_id)


_BY_ID = Prepared(
    select(vendor).where(vendor.c.id == bindparam("vendor_id", type_=Uuid)).with_for_update(read=True, key_share=True),
    VendorRow,
)
_BY_TAX_ID = Prepared(
    select(vendor)
    .where(vendor.c.tax_key == bindparam("tax_key", type_=Text))
    .with_for_update(read=True, key_share=True),
    VendorRow,
)
_NAMED = (
    select(vendor)
    .where(vendor.c.name_key == bindparam("name_key", type_=Text))
    .order_by(vendor.c.id.desc())
    .limit(1)
    .with_for_update(read=True, key_share=True)
)
_BY_NAME = Prepared(_NAMED, VendorRow)
_BY_NAME_ALONE = Prepared(_NAMED.where(vendor.c.tax_key.is_(None)), VendorRow)


# ---------------------------------------------------------------- rows and shapes


async def _added(ctx: Context, values: Mapping[str, Any]) -> VendorRow | None:
    """The new vendor's row, or None when the account has it already, whoever comes first."""
    row = await records.add_unless_there(ctx, vendor, {"id": new_id(), **values})
    if row is None:
        return None
    await counters.add(ctx.db, {LISTED: 1})
    await activity.record(ctx, "created", ("vendor", row.id), row.name)
    return row


def _values(ctx: Context, given: Mapping[str, Any]) -> dict[str, Any]:
    country = given["country"] or ctx.account.country
    tax_id = tax_ids.normalised(ctx, given["tax_id"], country, "taxId")
    return {
        **given,
        "country": country,
        "tax_id": tax_id,
        "name_key": _name_key(given["name"]),
        "tax_key": _tax_key(tax_id),
        "search_text": search.searchable(given["name"], tax_id, given["email"]),
    }


def _name_key(name: str) -> str:
    return search.fold(name)[:MAX_KEY]


def _tax_key(tax_id: str | None) -> str | None:
    """What two spellings of one identifier have in common: its letters and digits."""
    if not tax_id:
        return None
    return re.sub(r"[\W_]", "", tax_id).upper()[:MAX_KEY] or tax_id


def _told_by(values: Mapping[str, Any]) -> tuple[str, str]:
    """What tells a vendor from others, in English and in Spanish."""
    if values["tax_key"]:
        return f"with the tax id {values['tax_id']}", f"con el NIF {values['tax_id']}"
    return f"named {values['name']} without a tax id", f"llamado {values['name']} sin NIF"


@cache
def _list_statement(*, searching: bool) -> Prepared[PageRow]:
    wanted: list[ColumnElement[bool]] = [search.contains(vendor)] if searching else []
    rows = select(*_wire_columns()).where(*wanted).order_by(vendor.c.name_key, vendor.c.id)
    counted = select(func.count()).select_from(vendor).where(*wanted).scalar_subquery()
    return page_statement(rows, counted if searching else counters.total([LISTED]))


def _wire_columns() -> list[Label[Any]]:
    return [
        *(wire_column(column.name, column) for column in _SHOWN),
        wire_column("created_at", wire_time(vendor.c.created_at)),
        wire_column("updated_at", wire_time(vendor.c.updated_at)),
    ]


def _shape(row: VendorRow) -> Vendor:
    plain = {column.name: getattr(row, column.name) for column in _SHOWN}
    own = {name: getattr(row, name) for name in ("created_at", "updated_at", "version")}
    return Vendor.model_validate(plain | own | {"id": str(row.id)})
