"""Vendors: list, read, create, change and delete them, and match them to documents."""

import re
from uuid import UUID

import asyncpg
from sqlalchemy import Text, Uuid, bindparam, select

from ledgerkit.core.platform import records
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.api_types.list_pages import Page, PageRequest
from ledgerkit.core.platform.database.ids import as_id, missing, new_id
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.documents import tax_ids
from ledgerkit.core.platform.identity.persons import guard
from ledgerkit.core.platform.records import counters, duplicates, namesakes, search
from ledgerkit.core.platform.records.listing import Listing
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.purchases.vendors import acts
from ledgerkit.core.purchases.vendors.api import Vendor, VendorChange, VendorInput
from ledgerkit.core.purchases.vendors.table import VendorRow, vendor
from ledgerkit.core.purchases.vendors.texts import VendorsMsg
from ledgerkit.problems import Code, Conflict, Invalid
from ledgerkit.texts import Message, text

ALL = "vendor"
MOST_NAMED = 10
"""Vendors of one name that are looked at."""

MAX_KEY = 200
"""Characters of a name or tax id that are compared: an index entry holds no more."""

_GROUPS = (
    ("tax_id", "country"),
    ("email",),
    ("phone",),
    ("address", "city", "province", "postal_code"),
    ("contact_name",),
    ("iban",),
    ("payment_term_days",),
    ("default_category",),
    ("default_tax_rate",),
    ("notes",),
)
"""Fields that a vendor takes together from its duplicate."""

_VENDORS = Listing(
    vendor,
    Vendor,
    order=[vendor.c.name_key, vendor.c.id],
    filters=search.filters(vendor),
    totals={frozenset(): counters.total([ALL])},
)


@operation(Permission.VENDORS_READ, unit=Unit.READING)
async def listing(ctx: Context, page: PageRequest, query: str | None = None) -> Page:
    """List vendors by name. `query` is looked for in name, tax id and e-mail."""
    return await _VENDORS.page(ctx.db, page, **search.parameters(query))


@operation(Permission.VENDORS_READ, unit=Unit.READING)
async def get(ctx: Context, vendor_id: str) -> Vendor:
    row = await records.fetch(ctx, vendor, vendor_id, "vendor")
    return _VENDORS.shape(row)


@operation(
    Permission.VENDORS_WRITE,
    errors=[(Invalid, {Code.TAX_ID_INVALID}), (Conflict, {Code.VENDOR_EXISTS})],
    act=acts.CREATION,
)
async def create(ctx: Context, data: VendorInput) -> Vendor:
    """Create a vendor.

    Raises Conflict VENDOR_EXISTS when the account has one with this tax id, or with this name and both have no tax
    id; Invalid TAX_ID_INVALID when the tax id is not valid in the account's own country.
    """
    values = _values(ctx, data)
    row = await _insert(ctx, values)
    if row is None:
        raise Conflict(VendorsMsg.EXISTS, code=Code.VENDOR_EXISTS, identification=_identification(values))
    return _VENDORS.shape(row)


@operation(
    Permission.VENDORS_WRITE,
    errors=[(Invalid, {Code.TAX_ID_INVALID, Code.VENDOR_EXISTS}), *guard.PROOF_ERRORS],
    effects=Effect.IDEMPOTENT,
    act=acts.CHANGE,
)
async def update(ctx: Context, vendor_id: str, data: VendorChange) -> Vendor:
    """Change the given fields. Expenses and supplier invoices keep the name with which they were recorded.

    Raises Invalid VENDOR_EXISTS when another vendor has this tax id, or this name and both have no tax id;
    PasswordNeeded for another IBAN in the place of one, since the vendor is paid there.
    """
    old = await records.fetch_locked(ctx, vendor, vendor_id, "vendor")
    changed = {name: getattr(data, name) for name in data.model_fields_set}
    if changed.get("country", ...) is None:
        del changed["country"]
    previous = {name: getattr(old, name) for name in VendorInput.model_fields}
    if old.iban is not None and changed.get("iban", old.iban) != old.iban:
        guard.require_recent_password(ctx)
    values = _values(ctx, VendorInput.model_construct(**previous | changed))
    try:
        row = await records.change(ctx, vendor, old.id, values)
    except asyncpg.UniqueViolationError:
        raise Invalid.field(
            "taxId" if values["tax_key"] else "name",
            VendorsMsg.ANOTHER_EXISTS,
            code=Code.VENDOR_EXISTS,
            identification=_identification(values),
        ) from None
    await activity.record(ctx, "updated", ("vendor", row.id), row.name, activity.changed(previous, changed))
    return _VENDORS.shape(row)


@operation(
    Permission.VENDORS_DELETE,
    errors=[(Invalid, {Code.VENDOR_IN_USE})],
    effects=Effect.DESTRUCTIVE | Effect.IDEMPOTENT,
    act=acts.DELETION,
)
async def delete(ctx: Context, vendor_id: str) -> None:
    """Delete a vendor to which nothing refers. Raises Invalid VENDOR_IN_USE when an expense or invoice does."""
    row = await records.fetch_locked(ctx, vendor, vendor_id, "vendor")
    try:
        await _DELETE.run(ctx.db, vendor_id=row.id)
    except asyncpg.ForeignKeyViolationError as error:
        of_expenses = error.table_name == "expense"
        message = VendorsMsg.USED_BY_EXPENSES if of_expenses else VendorsMsg.USED_BY_SUPPLIER_INVOICES
        raise Invalid(message, code=Code.VENDOR_IN_USE, name=row.name) from None
    await counters.add(ctx.db, {ALL: -1})
    await activity.record(ctx, "deleted", ("vendor", row.id), row.name)


_DELETE = Prepared(vendor.delete().where(vendor.c.id == bindparam("vendor_id", type_=Uuid)))


# ---------------------------------------------------------------- vendors of documents


async def locked(ctx: Context, vendor_id: str) -> VendorRow:
    """Return the vendor's row, locked against deletion until the transaction ends. Raises NotFound."""
    row = await _BY_ID.row(ctx.db, vendor_id=as_id(vendor_id, "vendor"))
    if row is None:
        raise missing("vendor", vendor_id)
    return row


async def find_match(ctx: Context, name: str | None, tax_id: str | None) -> VendorRow | None:
    """Return the stored vendor that a document names, locked against deletion until the transaction ends, or None.

    It is the one with this tax id, else the newest of this name, whatever its case and accents. When a tax id is given,
    a match by name must have none: another tax id is another business.
    """
    tax_key, name_key = _tax_key(tax_id), _name_key(name or "")
    row = await _BY_TAX_ID.row(ctx.db, tax_key=tax_key) if tax_key else None
    if row is None and name_key:
        row = await (_BY_NAME_WITHOUT_TAX_ID if tax_key else _BY_NAME).row(ctx.db, name_key=name_key)
    return row


async def require_clear(ctx: Context, field: str, name: str | None, tax_id: str | None) -> None:
    """Raise Invalid VENDOR_AMBIGUOUS when several vendors have a name that is given without a tax id.

    Only a caller who can be asked which of them is meant gets it; for others `find_match` takes the newest.
    """
    if tax_id or not name or not namesakes.can_be_asked(ctx):
        return
    of_name = await _OF_NAME.rows(ctx.db, name_key=_name_key(name))
    if len(of_name) > 1:
        candidates = namesakes.candidates(of_name)
        listed = namesakes.listed(candidates)
        problem = Invalid.field(field, VendorsMsg.AMBIGUOUS, code=Code.VENDOR_AMBIGUOUS, name=name, listed=listed)
        raise namesakes.asking(problem, candidates)


async def match_or_create(ctx: Context, name: str, tax_id: str, country: str) -> VendorRow | None:
    """Return the vendor that `find_match` finds, else a new one; None when the caller may not write vendors.

    When several callers name the same unknown vendor at once, one of them stores it and the others find it.
    """
    row = await find_match(ctx, name, tax_id)
    if row is not None or not ctx.may(Permission.VENDORS_WRITE):
        return row
    values = _values(ctx, VendorInput(name=name, tax_id=tax_id, country=country))
    return await _insert(ctx, values) or await find_match(ctx, name, tax_id)


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
_WITH_NAME = (
    select(vendor)
    .where(vendor.c.name_key == bindparam("name_key", type_=Text))
    .order_by(vendor.c.id.desc())
    .limit(1)
    .with_for_update(read=True, key_share=True)
)
_OF_NAME = Prepared(
    select(vendor)
    .where(vendor.c.name_key == bindparam("name_key", type_=Text))
    .order_by(vendor.c.id.desc())
    .limit(MOST_NAMED),
    VendorRow,
)
_BY_NAME = Prepared(_WITH_NAME, VendorRow)
_BY_NAME_WITHOUT_TAX_ID = Prepared(_WITH_NAME.where(vendor.c.tax_key.is_(None)), VendorRow)


# ---------------------------------------------------------------- two records of one vendor


async def lock_pair(ctx: Context, remaining_id: str, duplicate_id: UUID) -> tuple[VendorRow, VendorRow]:
    """Return the vendor that stays and its duplicate, locked in the order of their ids. Raises NotFound."""
    return await records.fetch_pair_locked(ctx, vendor, remaining_id, duplicate_id, "vendor")


def lacking(remaining: VendorRow, duplicate: VendorRow) -> VendorChange:
    """Return the change by which the vendor that stays takes what it lacks."""
    return VendorChange.model_validate(duplicates.lacking(remaining, duplicate, _GROUPS))


# ---------------------------------------------------------------- rows and shapes


async def _insert(ctx: Context, values: Values[VendorRow]) -> VendorRow | None:
    """Insert a vendor and return its row; None when the account has it already."""
    row = await records.add_unless_there(ctx, vendor, Values(VendorRow, id=new_id()) | values)
    if row is None:
        return None
    await counters.add(ctx.db, {ALL: 1})
    await activity.record(ctx, "created", ("vendor", row.id), row.name)
    return row


def _values(ctx: Context, data: VendorInput) -> Values[VendorRow]:
    """Return the columns of a vendor. Raises Invalid TAX_ID_INVALID."""
    country = data.country or ctx.account.country
    tax_id = tax_ids.normalised(ctx, data.tax_id, country, "taxId")
    return Values.copied(VendorRow, data, VendorInput.model_fields) | Values(
        VendorRow,
        country=country,
        tax_id=tax_id,
        name_key=_name_key(data.name),
        tax_key=_tax_key(tax_id),
        search_text=search.searchable(data.name, tax_id, data.email),
    )


def _name_key(name: str) -> str:
    return search.fold(name)[:MAX_KEY]


def _tax_key(tax_id: str | None) -> str | None:
    """Return the form in which two spellings of a tax id are equal: its letters and digits."""
    if not tax_id:
        return None
    return re.sub(r"[\W_]", "", tax_id).upper()[:MAX_KEY] or tax_id


def _identification(values: Values[VendorRow]) -> Message:
    """Return the words that identify a vendor among others: its tax id, or its name when it has none."""
    if values["tax_key"]:
        return text(VendorsMsg.WITH_TAX_ID, tax_id=values["tax_id"])
    return text(VendorsMsg.WITHOUT_TAX_ID, name=values["name"])
