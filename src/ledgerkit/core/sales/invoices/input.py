"""Drafts: from the caller's input to the content of an invoice's row, with defaults, checks and totals."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date
from decimal import Decimal
from typing import TypeVar
from uuid import UUID

from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.documents import exchange_rates
from ledgerkit.core.platform.documents.exchange_rates import Exchange
from ledgerkit.core.platform.documents.series import prefix
from ledgerkit.core.platform.documents.totals import Line, Totals, total
from ledgerkit.core.platform.records import search
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Errors
from ledgerkit.core.sales.invoices.api import InvoiceChange, InvoiceInput, InvoiceItemInput, InvoiceTexts
from ledgerkit.core.sales.invoices.content import country_checks
from ledgerkit.core.sales.invoices.content.buyers import Buyer, buyer, repeats
from ledgerkit.core.sales.invoices.content.fields import FiscalFields, InvoiceContent, InvoiceHead
from ledgerkit.core.sales.invoices.dates.issue_and_due import (
    DateFields,
    Dates,
    changed_dates,
    dates_of,
    dates_of_new,
    replaced_dates,
)
from ledgerkit.core.sales.invoices.documents.origins import NONE, Origins, check_day
from ledgerkit.core.sales.invoices.json_columns.codecs import CLIENT, LINES, StoredClient, StoredLine, StoredTax
from ledgerkit.core.sales.invoices.lines import input as lines
from ledgerkit.core.sales.invoices.lines import surcharges, tax_proposals
from ledgerkit.core.sales.invoices.lines.input import LineDefaults
from ledgerkit.core.sales.invoices.posting import effects
from ledgerkit.core.sales.invoices.table import InvoiceRow
from ledgerkit.core.sales.invoices.texts import InvoicesMsg
from ledgerkit.money import LARGEST, ZERO, RoundingPolicy
from ledgerkit.problems import Code, FieldError, Invalid
from ledgerkit.providers.api import DocumentKind, TaxCategory
from ledgerkit.texts import Joined
from ledgerkit.texts.common import CommonMsg

T = TypeVar("T")


DRAFTING_ERRORS: Errors = [
    (
        Invalid,
        {
            Code.TAX_ID_INVALID,
            Code.CLIENT_AMBIGUOUS,
            Code.CLIENT_CONFLICT,
            Code.TAX_RATE_UNKNOWN,
            Code.INVOICE_ANNULLED,
        },
    )
]
"""Refusals of every operation that makes a new draft from what the caller sends."""


@dataclass(frozen=True, kw_only=True)
class DraftValues:
    """Content of a draft, the documents that it comes from, and warnings for its caller.

    `client_warnings` are those of `warnings` that are about the client.
    """

    content: InvoiceContent
    rectifies: UUID | None = None
    substitutes: Sequence[str] | None = None
    warnings: Sequence[str] = ()
    client_warnings: Sequence[str] = ()

    def columns(self) -> Values[InvoiceRow]:
        """Return the columns of the draft's row."""
        origins = Values(InvoiceRow, rectifies=self.rectifies, substitutes=self.substitutes)
        return self.content.columns() | origins


async def new_values(
    ctx: Context, data: InvoiceInput, origins: Origins = NONE, *, storing: bool = True, surcharging: bool = True
) -> DraftValues:
    """Compute a new draft. Client, rates, items and prices that are left out come from its origins.

    `storing`: a client that is not stored yet is stored. `surcharging`: lines may take a surcharge that they do not
    state. Raises Invalid naming each wrong field, NotFound for an unknown clientId.
    """
    _require_parts(data, origins)
    await lines.require_catalog_items(ctx, data.items)
    client = await _client(ctx, data, origins, storing=storing and data.doc_type is not DocumentKind.SIMPLIFIED)
    head = _new_head(ctx, data, origins, client)
    head.check_due()
    if origins.corrected is not None:
        check_day(origins.corrected, head.issue_date)
    items, proposals = data.items or origins.items, list[str]()
    if any(item.catalog_item_id for item in items):
        items, proposals = await tax_proposals.for_new(ctx, data, origins, client, items)
    surcharged = surcharges.NO_LINES
    if surcharging:
        surcharged = await surcharges.lines_of_new(ctx, data, origins, client, items)
    corrected = origins.corrected
    cost_optional = corrected is not None and _gives_back(head) and lines.lack_cost(ctx, LINES.decode(corrected.items))
    content = _content(ctx, head, client, items, LineDefaults(surcharged=surcharged, cost_optional=cost_optional))
    return DraftValues(
        content=content,
        rectifies=origins.rectifies,
        substitutes=origins.substitutes,
        warnings=[*client.warnings, *proposals, *await _doubts(ctx, content)],
        client_warnings=client.warnings,
    )


def _new_head(ctx: Context, data: InvoiceInput, origins: Origins, client: Buyer) -> InvoiceHead:
    account, corrected = ctx.account, origins.corrected
    dates = dates_of_new(data, account.today(), _term_days(ctx, client))
    texts = {name: getattr(data, name) for name in InvoiceTexts.model_fields}
    currency = data.currency or account.currency
    triangular = corrected is not None and corrected.triangular
    exchanged = exchange_rates.stated(data, currency, account.currency, origins.stated_exchange(currency))
    return InvoiceHead(
        **vars(country_checks.fiscal_fields(ctx, data.doc_type, data, triangular=triangular)),
        texts=InvoiceTexts.model_construct(**{**texts, "iban": data.iban or account.iban}),
        doc_type=data.doc_type.value,
        series=prefix(ctx.account.series, ctx.country, data.doc_type),
        **vars(dates),
        operation_date=data.operation_date,
        currency=currency,
        exchange_rate=exchanged.rate,
        exchange_rate_source=exchanged.source,
        tax_rate=_first(
            data.tax_rate,
            None if corrected is None else corrected.tax_rate,
            client.tax_rate,
            account.default_tax_rate,
            otherwise=_general_rate(ctx, dates.issue_date),
        ),
        retention_rate=_first(
            data.retention_rate,
            None if corrected is None else corrected.retention_rate,
            client.retention_rate,
            account.default_retention_rate,
            otherwise=ZERO,
        ),
        prices_include_tax=_first(data.prices_include_tax, otherwise=origins.prices_include_tax),
    )


async def changed_values(
    ctx: Context, old: InvoiceRow, data: InvoiceChange, *, client: Buyer | None = None
) -> DraftValues:
    """Compute the invoice `old` after a change: fields that are absent keep their value.

    `client` replaces the one that the caller names or, without one, the one that the invoice has. Raises Invalid,
    NotFound.
    """
    kind = DocumentKind(old.doc_type)
    await lines.require_catalog_items(ctx, data.items)
    client = client or await _changed_client(ctx, old, data, kind)
    head = _changed_head(ctx, old, data, kind, client)
    if data.model_fields_set & DateFields.model_fields.keys():
        head.check_due()
        if old.rectifies is not None:
            check_day(await effects.original_of(ctx, old), head.issue_date)
    items = data.items if data.items is not None else lines.items_of(old, tax_rate=head.tax_rate)
    if not items:
        raise Invalid.field("items", InvoicesMsg.ITEMS_NEEDED)
    surcharged = await _surcharged(ctx, old, data, client, items)
    content = _content(ctx, head, client, items, _like_stored(ctx, old, surcharged))
    content = replace(content, search_text=search_text(old.number, client.copy, items, head.texts.notes))
    return DraftValues(content=content, warnings=[*client.warnings, *await _doubts(ctx, content)])


async def _changed_client(ctx: Context, old: InvoiceRow, data: InvoiceChange, kind: DocumentKind) -> Buyer:
    """Return the client that the caller names, else the one that the invoice has with its copy."""
    copy = CLIENT.decode(old.client)
    is_named = data.client_id is not None or (data.client is not None and not repeats(copy, data.client))
    if is_named:
        return await buyer(ctx, data, storing=kind is not DocumentKind.SIMPLIFIED, current=old.client_id)
    return Buyer(copy=copy, client_id=old.client_id, term_days=old.term_days)


def _changed_head(ctx: Context, old: InvoiceRow, data: InvoiceChange, kind: DocumentKind, client: Buyer) -> InvoiceHead:
    sent = data.model_fields_set
    texts = {name: getattr(data if name in sent else old, name) for name in InvoiceTexts.model_fields}
    currency = _first(data.currency, otherwise=old.currency)
    before = Exchange(old.exchange_rate, old.exchange_rate_source) if currency == old.currency else Exchange()
    exchanged = exchange_rates.stated(data, currency, ctx.account.currency, before)
    return InvoiceHead(
        **vars(country_checks.fiscal_fields(ctx, kind, data, FiscalFields.stated(old))),
        texts=InvoiceTexts.model_construct(**texts),
        doc_type=old.doc_type,
        series=old.series,
        **vars(_changed_dates(ctx, old, data, client)),
        operation_date=(data if "operation_date" in data.model_fields_set else old).operation_date,
        currency=currency,
        exchange_rate=exchanged.rate,
        exchange_rate_source=exchanged.source,
        tax_rate=_first(data.tax_rate, otherwise=old.tax_rate),
        retention_rate=_first(data.retention_rate, otherwise=old.retention_rate),
        prices_include_tax=_first(data.prices_include_tax, otherwise=old.prices_include_tax),
    )


def _term_days(ctx: Context, client: Buyer) -> int:
    return ctx.account.payment_term_days if client.term_days is None else client.term_days


def _changed_dates(ctx: Context, old: InvoiceRow, data: InvoiceChange, client: Buyer) -> Dates:
    before = dates_of(old, ctx.account.today())
    if old.status != "draft":
        return replaced_dates(before, data)
    return changed_dates(before, data, ctx.account.today(), _term_days(ctx, client))


async def _surcharged(
    ctx: Context, old: InvoiceRow, data: InvoiceChange, client: Buyer, items: Sequence[InvoiceItemInput]
) -> frozenset[int]:
    """Return the lines that take the surcharge by default: by the client of a draft, else as the stored lines did."""
    if old.status == "draft" and old.rectifies is None and not old.substitutes:
        return await surcharges.lines_for(ctx, client, items)
    before = surcharges.surcharged_lines(LINES.decode(old.items))
    return before if data.items is None or not before else await surcharges.lines_of_goods(ctx, items)


async def copied_values(ctx: Context, old: InvoiceRow) -> DraftValues:
    """Compute a new draft like `old`, without date, number, payments, fiscal record or share link.

    The exchange rate belongs to another day. So only a credit note keeps it, because it has the rate of its invoice.
    """
    today = ctx.account.today()
    content = InvoiceContent.of(old, today)
    term_days = (content.due_date - content.issue_date).days
    head = InvoiceHead(
        **{
            **{head_field.name: getattr(content, head_field.name) for head_field in fields(InvoiceHead)},
            **vars(Dates.made(today, None, stated=False, term_days=term_days)),
            "operation_date": None,
            **({} if old.rectifies else {"exchange_rate": None, "exchange_rate_source": None}),
        }
    )
    client, items = Buyer(copy=content.client, client_id=old.client_id), lines.items_of(old, tax_rate=old.tax_rate)
    surcharged = surcharges.surcharged_lines(content.items)
    if old.rectifies is None:
        surcharged = await surcharges.lines_for(ctx, client, items)
    copied = _content(ctx, head, client, items, _like_stored(ctx, old, surcharged))
    return DraftValues(content=copied, rectifies=old.rectifies, warnings=await _doubts(ctx, copied))


async def _doubts(ctx: Context, content: InvoiceContent) -> list[str]:
    return [*surcharges.warnings(ctx, content.items), *await country_checks.doubts(ctx, content)]


def _like_stored(ctx: Context, old: InvoiceRow, surcharged: frozenset[int]) -> LineDefaults:
    """Let lines leave out the purchase cost where stored lines do; the country says whether they can be issued so."""
    return LineDefaults(surcharged=surcharged, cost_optional=lines.lack_cost(ctx, LINES.decode(old.items)))


def _gives_back(head: InvoiceHead) -> bool:
    return (head.doc_type, head.correction_method) == (DocumentKind.CREDIT_NOTE, "differences")


def _content(
    ctx: Context, head: InvoiceHead, client: Buyer, items: Sequence[InvoiceItemInput], defaults: LineDefaults
) -> InvoiceContent:
    """Check the lines by the country's rules and compute the whole content: totals, tax rows and search text."""
    checked = [lines.checked_line(ctx, head, position, item, defaults) for position, item in enumerate(items)]
    lines.check_not_mixed(checked)
    if head.triangular:
        _check_triangular(ctx, client, checked)
    policy = ctx.country.tax.rounding if ctx.country else RoundingPolicy()
    sums = total(checked, head.retention_rate, policy, prices_include_tax=head.prices_include_tax)
    _check_sums(head.doc_type, sums)
    exchange_rates.check_remains((row.base for row in sums.taxes), head.exchange_rate)
    return InvoiceContent(
        **vars(head),
        client=client.copy,
        client_id=client.client_id,
        items=tuple(lines.stored_line(*parts) for parts in zip(items, checked, sums.lines, strict=True)),
        subtotal=sums.subtotal,
        tax_amount=sums.tax,
        surcharge_amount=sums.surcharge,
        retention_amount=sums.retention,
        total=sums.total,
        tax_breakdown=tuple(StoredTax.of(line) for line in sums.taxes),
        rounding=policy.per,
        search_text=search_text(None, client.copy, items, head.texts.notes),
    )


def search_text(
    number: str | None, client: StoredClient, items: Iterable[InvoiceItemInput | StoredLine], notes: str | None
) -> str:
    return search.searchable(number, client.name, client.tax_id, *(item.description for item in items), notes)


def _require_parts(data: InvoiceInput, origins: Origins) -> None:
    missing = []
    has_client = data.client is not None or data.client_id is not None or origins.corrected is not None
    if not has_client and data.doc_type is not DocumentKind.SIMPLIFIED:
        missing.append(FieldError.of("client", "missing", InvoicesMsg.CLIENT_MISSING))
    if not data.items and not origins.items:
        missing.append(FieldError.of("items", "missing", InvoicesMsg.ITEMS_MISSING))
    if missing:
        parts = Joined([error.field for error in missing], last=CommonMsg.AND)
        raise Invalid(InvoicesMsg.PARTS_MISSING, parts=parts, errors=missing)


async def _client(ctx: Context, data: InvoiceInput, origins: Origins, *, storing: bool) -> Buyer:
    """Return the client that the caller names, else that of the corrected document."""
    corrected = origins.corrected
    if data.client is None and data.client_id is None and corrected is not None:
        return Buyer(copy=CLIENT.decode(corrected.client), client_id=corrected.client_id)
    return await buyer(ctx, data, storing=storing)


# ---------------------------------------------------------------- checks and defaults


def _check_triangular(ctx: Context, client: Buyer, checked: Sequence[Line]) -> None:
    """Raise Invalid unless all lines are goods for a client in another country (Ley 37/1992 art. 26.Tres)."""
    abroad = client.copy.country != ctx.account.country
    if not abroad or any(line.category is not TaxCategory.INTRA_EU_GOODS for line in checked):
        raise Invalid.field("triangular", InvoicesMsg.TRIANGULAR_NEEDS_EU_GOODS)


def _check_sums(doc_type: str, sums: Totals) -> None:
    rows = [amount for row in sums.taxes for amount in (row.base, row.amount, row.surcharge_amount)]
    largest = max(map(abs, (*sums.lines, *rows, sums.subtotal, sums.retention, sums.gross, sums.total)))
    if largest > LARGEST:
        raise Invalid.field("items", InvoicesMsg.AMOUNTS_TOO_LARGE, largest=LARGEST)
    if doc_type != DocumentKind.CREDIT_NOTE and (sums.total < 0 or any(row.base < 0 for row in sums.taxes)):
        raise Invalid.field("items", InvoicesMsg.AMOUNTS_NEGATIVE)


def _general_rate(ctx: Context, day: date) -> Decimal:
    rates = ctx.country.tax.rates(day) if ctx.country else ()
    return rates[0].percent if rates else ZERO


def _first(*values: T | None, otherwise: T) -> T:
    """Return the first value that is not None, or `otherwise`."""
    return next((value for value in values if value is not None), otherwise)
