"""Invoices: read, preview, draft, change, copy, delete, restore."""

from collections.abc import Container, Mapping

from sqlalchemy import Text as SqlText
from sqlalchemy import Uuid, bindparam, select
from sqlalchemy import text as sql

from ledgerkit import clock
from ledgerkit.core.platform import records
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.attachments.api import DocumentType
from ledgerkit.core.platform.attachments.documents.kinds import DocumentKind, declare
from ledgerkit.core.platform.attachments.removal import contents as removal
from ledgerkit.core.platform.database.row_types import Values, meanings
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.documents import tax_ids
from ledgerkit.core.platform.documents.origin import EXTERNAL
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.platform.records import counters
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.sales.clients import operations as clients
from ledgerkit.core.sales.clients.operations import followed_by
from ledgerkit.core.sales.clients.table import ClientRow
from ledgerkit.core.sales.invoices import acts, output
from ledgerkit.core.sales.invoices import input as invoice_input
from ledgerkit.core.sales.invoices.api import Deleted, Invoice, InvoiceChange, InvoiceInput, InvoicePreview
from ledgerkit.core.sales.invoices.changes import rules as change_rules
from ledgerkit.core.sales.invoices.content.buyers import Buyer, of_stored
from ledgerkit.core.sales.invoices.content.fields import InvoiceContent, converted_replaced
from ledgerkit.core.sales.invoices.dates import warnings as date_warnings
from ledgerkit.core.sales.invoices.documents import origins
from ledgerkit.core.sales.invoices.drafts import credit_notes
from ledgerkit.core.sales.invoices.imports import numbers
from ledgerkit.core.sales.invoices.input import DRAFTING_ERRORS
from ledgerkit.core.sales.invoices.issuance import lifecycle, order
from ledgerkit.core.sales.invoices.json_columns.codecs import CLIENT, CONVERTED, EINVOICE, REPLACED, StoredClient
from ledgerkit.core.sales.invoices.payments import operations as payments
from ledgerkit.core.sales.invoices.posting import effects, standing, stock_moves
from ledgerkit.core.sales.invoices.posting.effects import CountedAmounts
from ledgerkit.core.sales.invoices.table import CHANGES, InvoiceRow, invoice
from ledgerkit.core.sales.invoices.texts import InvoicesMsg
from ledgerkit.money import dumps_exact
from ledgerkit.problems import Code, Invalid, NotFound
from ledgerkit.providers.api import DocumentKind as Kind
from ledgerkit.texts import Text, text

_DERIVED = {"search_text", "converted", "converted_replaced", "term_days"}
"""Columns that follow from others, and are not logged."""


@operation(Permission.INVOICES_READ, unit=Unit.READING)
async def get(ctx: Context, invoice_id: str) -> Invoice:
    """Return one invoice. Raises NotFound."""
    row = await records.fetch(ctx, invoice, invoice_id, "invoice")
    return await output.as_invoice(ctx, row)


@operation(Permission.INVOICES_DRAFT, errors=[*DRAFTING_ERRORS, (NotFound, {Code.NOT_FOUND})], act=acts.DRAFT)
async def create(ctx: Context, data: InvoiceInput) -> Invoice:
    """Create a draft: no number, nothing fiscal. Raises Invalid naming each wrong field."""
    draft = await invoice_input.new_values(ctx, data, await origins.resolve(ctx, data))
    row = await lifecycle.add(ctx, draft.columns())
    return await output.as_invoice(ctx, row, draft.warnings)


@operation(Permission.INVOICES_DRAFT, errors=[*DRAFTING_ERRORS, (NotFound, {Code.NOT_FOUND})], effects=Effect.READ_ONLY)
async def preview(ctx: Context, data: InvoiceInput) -> InvoicePreview:
    """Compute totals, lines and dates of the draft that `data` would make; refuse it for the same reasons.

    `warnings` name obstacles to issuing it today, and doubts. No client is stored.
    """
    draft = await invoice_input.new_values(ctx, data, await origins.resolve(ctx, data), storing=False)
    columns = {**draft.columns(), "issue_date": draft.content.issue_date, "due_date": draft.content.due_date}
    shown = {name: output.as_text(columns[name]) for name in InvoicePreview.model_fields if name in columns}
    warnings = [*draft.warnings, *await _issue_warnings(ctx, draft.content)]
    return InvoicePreview.model_validate(shown | {"warnings": warnings})


@operation(
    Permission.INVOICES_DRAFT,
    errors=[
        *DRAFTING_ERRORS,
        (Invalid, {Code.INVOICE_LOCKED, Code.ISSUE_DATE_BEFORE_LAST, Code.INVOICE_EXTERNAL}),
    ],
    effects=Effect.IDEMPOTENT,
    act=acts.CHANGE,
)
async def update(ctx: Context, invoice_id: str, data: InvoiceChange) -> Invoice:
    """Change the given fields: all fields of a draft, and all but number and series of an issued invoice.

    `changes.rules` says which fields of an emitted invoice may change. Raises Invalid INVOICE_LOCKED for data that the
    authority already has, INVOICE_ANNULLED.
    """
    old = await records.fetch_locked(ctx, invoice, invoice_id, "invoice")
    _require_right_to_change(ctx, old)
    change_rules.check_own(old)
    draft = await invoice_input.changed_values(ctx, old, data)
    content = draft.content
    replaced = converted_replaced(REPLACED.decode(old.replaced), content.exchange_rate)
    values = content.columns() | Values(InvoiceRow, converted_replaced=CONVERTED.encode(replaced))
    changes = activity.changed({name: getattr(old, name) for name in values}, values)
    if old.einvoice is not None:
        await change_rules.check(ctx, old, content, changes)
    elif change_rules.owes_record(ctx, old):
        change_rules.check_unrecorded(ctx, old, content, changes)
    figures = await _change_issued(ctx, old, content, changes) if old.status != "draft" else {}
    await counters.add(ctx.db, {CHANGES: 1, **figures})
    row = await records.change(ctx, invoice, old.id, values)
    if row.amount_paid and "converted" in changes:
        await payments.convert_again(ctx, row)
    logged_changes = {field: change for field, change in changes.items() if field not in _DERIVED}
    await activity.record(ctx, "updated", ("invoice", row.id), row.number or content.client.name, logged_changes)
    return await output.as_invoice(ctx, row, draft.warnings if old.status == "draft" else ())


async def take_back_change(ctx: Context, invoice_id: str, former: Mapping[str, object]) -> None:
    """Give a draft the values that it had before a change, by the names of its columns, as the activity log has them.

    What follows from them is computed anew. Raises NotFound, Forbidden, Invalid INVOICE_LOCKED for an issued one.
    """
    ctx.require(Permission.INVOICES_DRAFT)
    old = await records.fetch_locked(ctx, invoice, invoice_id, "invoice")
    _require_right_to_change(ctx, old)
    if old.status != "draft":
        raise Invalid(InvoicesMsg.CHANGE_OF_ISSUED, code=Code.INVOICE_LOCKED, number=old.number)
    columns = {name: value for name, value in former.items() if name in meanings(InvoiceRow)}
    row = await _WITH_VALUES.one(ctx.db, invoice_id=old.id, former=dumps_exact(columns))
    buyer = Buyer(copy=CLIENT.decode(row.client), client_id=row.client_id, term_days=await _term_days(ctx, row))
    values = (await invoice_input.changed_values(ctx, row, InvoiceChange(), client=buyer)).columns()
    await records.change(ctx, invoice, old.id, values)
    await counters.add(ctx.db, {CHANGES: 1})
    changes = activity.changed({name: getattr(old, name) for name in values}, values)
    logged = {field: change for field, change in changes.items() if field not in _DERIVED}
    await activity.record(ctx, "updated", ("invoice", old.id), buyer.copy.name, logged)


_WITH_VALUES = Prepared(
    sql(
        "select (json_populate_record(invoice, cast(:former as json))).* from invoice"
        " where invoice.account_id = :own_account and invoice.id = :invoice_id"
    )
    .bindparams(bindparam("invoice_id", type_=Uuid), bindparam("former", type_=SqlText))
    .columns(*invoice.c),
    InvoiceRow,
)
"""An invoice with other values in some of its columns; they are not stored."""


async def _term_days(ctx: Context, row: InvoiceRow) -> int | None:
    """Return the days until payment of a draft's client: those that it has, else those that the draft had."""
    if row.client_id is None:
        return row.term_days
    return (await clients.stored(ctx, str(row.client_id))).payment_term_days


@operation(
    Permission.INVOICES_DELETE,
    errors=[(Invalid, {Code.INVOICE_LOCKED})],
    effects=Effect.DESTRUCTIVE | Effect.IDEMPOTENT,
    act=acts.DELETION,
)
async def delete(ctx: Context, invoice_id: str) -> Deleted:
    """Hide an invoice; nothing is removed. An issued number is never used again, and a fiscal record keeps its effect.

    Raises Invalid INVOICE_LOCKED for an invoice that lacks its record while e-invoicing is on.
    """
    row = await records.fetch_locked(ctx, invoice, invoice_id, "invoice")
    change_rules.check_deletable(ctx, row)
    hidden = await records.change(ctx, invoice, row.id, Values(InvoiceRow, deleted_at=clock.now()))
    figures = await _reverse(ctx, row) if effects.is_voided(hidden) else {}
    await counters.add(ctx.db, {f"invoice.{row.status}": -1, "invoice.deleted": 1, CHANGES: 1, **figures})
    files = await removal.release(ctx, ATTACHED, row)
    await activity.record(ctx, "deleted", ("invoice", row.id), row.number or CLIENT.decode(row.client).name, files)
    if standing.is_annulled(row):
        return Deleted()
    einvoice = EINVOICE.decode(row.einvoice)
    if einvoice is None:
        return Deleted()
    warning = text(InvoicesMsg.DELETED_STAYS_REPORTED, number=row.number, fiscal_id=einvoice.fiscal_id)
    return Deleted(warning=warning.in_language(ctx.request_metadata.language))


@operation(
    Permission.INVOICES_DELETE,
    errors=[(Invalid, {Code.INVOICE_EXTERNAL})],
    effects=Effect.IDEMPOTENT,
    act=acts.RESTORATION,
)
async def restore(ctx: Context, invoice_id: str) -> Invoice:
    """Show a deleted invoice again; one that is not deleted stays as it is.

    A draft and an emitted invoice were only hidden. An issued invoice that was not emitted is posted again with its
    number and its payments. A paid one becomes open if a set-off that had settled it no longer exists. An imported one
    stays deleted while its number is another document's: Invalid INVOICE_EXTERNAL.
    """
    old = await records.fetch_locked(ctx, invoice, invoice_id, "invoice", hidden=True)
    if old.deleted_at is None:
        return await output.as_invoice(ctx, old)
    await _check_number_free(ctx, old)
    columns, figures = await effects.reinstate(ctx, old) if effects.is_voided(old) else (Values(InvoiceRow), {})
    row = await records.change(ctx, invoice, old.id, Values(InvoiceRow, deleted_at=None) | columns)
    await counters.add(ctx.db, {f"invoice.{row.status}": 1, "invoice.deleted": -1, CHANGES: 1, **figures})
    await activity.record(ctx, "restored", ("invoice", row.id), row.number or CLIENT.decode(row.client).name)
    return await output.as_invoice(ctx, row)


async def _reverse(ctx: Context, row: InvoiceRow) -> dict[str, int]:
    await effects.require_unreplaced(ctx, row)
    return await effects.reverse(ctx, row)


@operation(Permission.INVOICES_DRAFT, act=acts.DRAFT)
async def duplicate(ctx: Context, invoice_id: str) -> Invoice:
    """Create a draft with the same client and lines and no date; of a credit note, one for the same invoice.

    Raises Invalid for a credit note that could not be issued a second time: not as much remains of its invoice.
    """
    old = await records.fetch(ctx, invoice, invoice_id, "invoice")
    draft = await invoice_input.copied_values(ctx, old)
    if old.rectifies is not None:
        await credit_notes.check_copy(ctx, old, draft.content)
    row = await lifecycle.add(ctx, draft.columns())
    return await output.as_invoice(ctx, row, draft.warnings)


async def _change_issued(
    ctx: Context, old: InvoiceRow, content: InvoiceContent, changes: Container[str]
) -> dict[str, int]:
    """Check the change of an issued invoice, move its stock, and return what to add to its client's figures.

    It takes the right to issue, and keeps the order of dates. Raises Invalid, also INVOICE_LOCKED.
    """
    ctx.require(Permission.INVOICES_ISSUE)
    if "items" in changes:
        await stock_moves.post_stock_again(ctx, old, content.items)
    if "issue_date" in changes:
        await order.check(ctx, old, content.issue_date)
    if content.total < old.amount_paid + old.credited and old.status != "paid":
        raise Invalid.field("items", InvoicesMsg.TOTAL_BELOW_PAID)
    if old.amount_paid and "currency" in changes:
        raise Invalid.field("currency", InvoicesMsg.CURRENCY_OF_PAID, code=Code.INVOICE_LOCKED, currency=old.currency)
    await change_rules.check_exchange(ctx, old, content)
    settled = old.status == "paid" or old.rectifies is not None
    if settled and "total" in changes:
        raise Invalid.field("items", InvoicesMsg.AMOUNTS_SETTLED, code=Code.INVOICE_LOCKED)
    return effects.changed_figures(ctx, CountedAmounts.of(old), CountedAmounts.of_change(old, content))


async def _check_number_free(ctx: Context, row: InvoiceRow) -> None:
    """Raise Invalid when the number of an imported document has been imported again since it was deleted."""
    if row.origin != EXTERNAL or row.number is None:
        return
    await accounts.with_locked_profile(ctx, exclusive=True)
    if await numbers.existing(ctx, [row.number]):
        raise Invalid(InvoicesMsg.EXTERNAL_IMPORTED_AGAIN, code=Code.INVOICE_EXTERNAL, number=row.number)


async def _issue_warnings(ctx: Context, content: InvoiceContent) -> list[str]:
    warnings: list[Text] = []
    if content.issue_date > ctx.account.today():
        warnings.append(text(InvoicesMsg.PREVIEW_DATE_AHEAD))
    last = await lifecycle.last_date(ctx, content.series, content.issue_date.year)
    if last is not None and content.issue_date < last:
        warnings.append(text(InvoicesMsg.PREVIEW_DATE_BEFORE_LAST, series=content.series, last=last))
    if content.currency != ctx.account.currency and content.exchange_rate is None:
        warnings.append(text(InvoicesMsg.PREVIEW_CURRENCY, currency=ctx.account.currency))
    language = ctx.request_metadata.language
    counts_on = content.issue_date if content.doc_type == Kind.CREDIT_NOTE else content.rates_date
    of_dates = await date_warnings.of_days(ctx, content.issue_date, counts_on, ctx.account.today())
    return [*(warning.in_language(language) for warning in warnings), *of_dates, *_doubts(ctx, content.client)]


def _doubts(ctx: Context, client: StoredClient) -> list[str]:
    return [] if client.tax_id_kind else tax_ids.doubts(ctx, client.tax_id, client.country, "client.taxId")


def _require_right_to_change(ctx: Context, row: InvoiceRow) -> None:
    """Require the right to change others' drafts, unless the draft is the caller's (interface decisions R)."""
    ctx.require_unless_own(row.created_by, Permission.INVOICES_DRAFT_ANY)


ATTACHED = declare(
    DocumentKind(
        type=DocumentType.INVOICE,
        table=invoice,
        what="invoice",
        read=Permission.INVOICES_READ,
        write=Permission.INVOICES_DRAFT,
        link=None,
        last_day=lambda row: None if row.number is None else row.issue_date,
        check_change=_require_right_to_change,
    )
)
"""Orders of clients and the like: never part of the invoice, of its PDF, or of its public page."""


# ---------------------------------------------------------------- drafts follow their clients


async def _follow_client(ctx: Context, before: ClientRow, after: ClientRow) -> None:
    """Update the client's drafts whose copy equals the client before its change: they follow it (ADR 37).

    A draft whose copy was edited keeps it. So does a draft that could not have the new data: a triangular sale to a
    client who has moved into the country.
    """
    old, new = of_stored(ctx, before), of_stored(ctx, after)
    if _followed(old) == _followed(new):
        return
    drafts = await _DRAFTS.rows(ctx.db, client_id=after.id)
    followed = [await _take_over(ctx, draft, new) for draft in drafts if CLIENT.decode(draft.client) == old.copy]
    if any(followed):
        await counters.add(ctx.db, {CHANGES: sum(followed)})


def _followed(client: Buyer) -> tuple[object, ...]:
    return client.copy, client.bears_surcharge, client.term_days


async def _take_over(ctx: Context, draft: InvoiceRow, client: Buyer) -> bool:
    """Compute the draft anew for its client; False where that cannot be."""
    try:
        computed = await invoice_input.changed_values(ctx, draft, InvoiceChange(), client=client)
    except Invalid:
        return False
    values = computed.columns()
    changes = activity.changed({name: getattr(draft, name) for name in values}, values)
    row = await records.change(ctx, invoice, draft.id, values)
    shown = {name: change for name, change in changes.items() if name in {"client", "total"}}
    await activity.record(ctx, "updated", ("invoice", row.id), client.copy.name, shown)
    return True


_DRAFTS = Prepared(
    select(invoice)
    .where(
        invoice.c.client_id == bindparam("client_id", type_=Uuid),
        invoice.c.status == "draft",
        invoice.c.deleted_at.is_(None),
    )
    .order_by(invoice.c.id)
    .with_for_update(),
    InvoiceRow,
)

followed_by(_follow_client)
