"""Documents of an imported file: content with the amounts that it states, which must agree to the cent."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal

from ledgerkit.core.platform.documents import exchange_rates
from ledgerkit.core.platform.documents.exchange_rates import Exchange, ExchangeFields
from ledgerkit.core.platform.documents.series import prefix
from ledgerkit.core.platform.documents.totals import Line
from ledgerkit.core.platform.imports.cells import RowError
from ledgerkit.core.platform.imports.rows import NumberedRow, shared
from ledgerkit.core.platform.imports.texts import ImportMsg
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.invoices import input as invoice_input
from ledgerkit.core.sales.invoices.api import InvoiceClientInput, InvoiceItemInput, InvoiceTexts
from ledgerkit.core.sales.invoices.content.buyers import Buyer
from ledgerkit.core.sales.invoices.content.fields import InvoiceContent, InvoiceHead
from ledgerkit.core.sales.invoices.dates.issue_and_due import Dates
from ledgerkit.core.sales.invoices.imports.columns import InvoiceImportRow
from ledgerkit.core.sales.invoices.json_columns.codecs import StoredLine, StoredTax
from ledgerkit.core.sales.invoices.lines import input as lines
from ledgerkit.core.sales.invoices.lines.input import LineDefaults
from ledgerkit.core.sales.invoices.texts import InvoicesMsg
from ledgerkit.money import CENT, HUNDRED, LARGEST, ZERO, ZERO_AMOUNT, percent_of, round_cents
from ledgerkit.providers.api import DocumentKind, IssuedBy, TaxCategory

Group = Sequence[NumberedRow[InvoiceImportRow]]
"""Rows of one document."""

_CLIENT_FIELDS = ("name", "tax_id", "tax_id_kind", "country", "email", "address", "city", "postal_code", "province")
_TAX_FIELDS = ("category", "rate", "surcharge_rate", "exemption_code", "regime_key", "tax", "not_subject_reason")


@dataclass(frozen=True, kw_only=True)
class ExternalDocument:
    """Document of other software: its content, and the other facts that its rows state."""

    place: int
    number: str
    content: InvoiceContent
    rectifies: str | None
    paid_at: date | None

    @property
    def is_credit_note(self) -> bool:
        return self.content.doc_type == DocumentKind.CREDIT_NOTE

    def of_client(self, buyer: Buyer) -> "ExternalDocument":
        """Return the document of a client that has been stored meanwhile."""
        return replace(self, content=replace(self.content, client_id=buyer.client_id))


@dataclass(frozen=True, kw_only=True)
class _Part:
    """Line of a document and its row of taxes, with the amounts that the file states."""

    line: StoredLine
    tax: StoredTax


def client_of(group: Group) -> InvoiceClientInput | None:
    """Return the client that the rows of a document state; None if they state none. Raises RowError."""
    stated = {name: shared(group, f"client_{name}") for name in _CLIENT_FIELDS}
    if stated["name"] is None:
        if stated["tax_id"] is None:
            return None
        raise RowError(ImportMsg.FIELD_REQUIRED, field="clientName")
    return InvoiceClientInput.model_construct(**{**dict.fromkeys(InvoiceClientInput.model_fields), **stated})


def document(ctx: Context, group: Group, client: Buyer) -> ExternalDocument:
    """Return the document that its rows make. Raises RowError or Invalid naming the field."""
    head = _head(ctx, group, client)
    if not client.copy.name and head.doc_type != DocumentKind.SIMPLIFIED:
        raise RowError(ImportMsg.FIELD_REQUIRED, field="clientName")
    parts = [_part(ctx, head, row) for row in group]
    content = _content(head, client, group, parts)
    _check_amounts(group, content)
    return ExternalDocument(
        place=group[0].place,
        number=group[0].fields.number,
        content=content,
        rectifies=_note_only(group, "rectifies", is_note=head.doc_type == DocumentKind.CREDIT_NOTE),
        paid_at=_paid_at(ctx, group),
    )


def _head(ctx: Context, group: Group, client: Buyer) -> InvoiceHead:
    kind = DocumentKind(shared(group, "doc_type") or DocumentKind.INVOICE)
    issue_date = _issue_date(ctx, group)
    term = ctx.account.payment_term_days if client.term_days is None else client.term_days
    due_date = shared(group, "due_date") or issue_date + timedelta(days=term)
    if due_date < issue_date:
        raise RowError(InvoicesMsg.DUE_BEFORE_ISSUE, field="dueDate")
    currency = shared(group, "currency") or ctx.account.currency
    exchange = _stated_exchange(ctx, group, currency)
    rates = [row.fields.tax_rate for row in group if row.fields.tax_rate is not None]
    is_note = kind is DocumentKind.CREDIT_NOTE
    return InvoiceHead(
        texts=InvoiceTexts.model_construct(**{name: shared(group, name) for name in InvoiceTexts.model_fields}),
        issued_by=IssuedBy.ISSUER.value,
        third_party=None,
        operation_description=None,
        fiscal_details=None,
        prices_include_tax=False,
        triangular=_triangular(ctx, group, client),
        doc_type=kind.value,
        series=prefix(ctx.account.series, ctx.country, kind),
        **vars(Dates.made(issue_date, due_date, stated=True, term_days=term)),
        operation_date=shared(group, "operation_date"),
        currency=currency,
        exchange_rate=exchange.rate,
        exchange_rate_source=exchange.source,
        tax_rate=rates[0] if rates else ZERO,
        retention_rate=_retention_rate(group),
        correction_reason=_note_only(group, "correction_reason", is_note=is_note),
        correction_method="differences" if is_note else None,
    )


def _stated_exchange(ctx: Context, group: Group, currency: str) -> Exchange:
    sent = {name: shared(group, name) for name in ExchangeFields.model_fields}
    return exchange_rates.stated(ExchangeFields.model_construct(**sent), currency, ctx.account.currency)


def _triangular(ctx: Context, group: Group, client: Buyer) -> bool:
    if not shared(group, "triangular"):
        return False
    goods = all(row.fields.tax_category is TaxCategory.INTRA_EU_GOODS for row in group)
    if not goods or client.copy.country == ctx.account.country:
        raise RowError(InvoicesMsg.TRIANGULAR_NEEDS_EU_GOODS, field="triangular")
    return True


def _issue_date(ctx: Context, group: Group) -> date:
    issue_date: date | None = shared(group, "issue_date")
    if issue_date is None:
        raise RowError(ImportMsg.FIELD_REQUIRED, field="issueDate")
    if issue_date > ctx.account.today():
        raise RowError(InvoicesMsg.IMPORT_DAY_AHEAD, field="issueDate", on=issue_date)
    return issue_date


def _paid_at(ctx: Context, group: Group) -> date | None:
    paid_at: date | None = shared(group, "paid_at")
    if paid_at is not None and paid_at > ctx.account.today():
        raise RowError(InvoicesMsg.IMPORT_DAY_AHEAD, field="paidAt", on=paid_at)
    return paid_at


def _note_only(group: Group, name: str, *, is_note: bool) -> str | None:
    value: str | None = shared(group, name)
    if value is not None and not is_note:
        raise RowError(
            InvoicesMsg.CREDIT_NOTE_FIELD_ONLY, field="rectifies" if name == "rectifies" else "correctionReason"
        )
    return value


# ---------------------------------------------------------------- lines and amounts


def _part(ctx: Context, head: InvoiceHead, row: NumberedRow[InvoiceImportRow]) -> _Part:
    fields = row.fields
    if fields.tax_category is TaxCategory.STANDARD and fields.tax_rate is None:
        raise RowError(ImportMsg.FIELD_REQUIRED, field="taxRate", place=row.place)
    item = InvoiceItemInput.model_construct(
        description=fields.description or fields.number,
        unit_price=fields.base,
        **{name: getattr(fields, name) for name in ("tax_rate", "tax_category", "exemption_code", "regime_key")},
        not_subject_reason=fields.not_subject_reason,
        surcharge_rate=fields.surcharge_rate,
    )
    line = lines.checked_line(ctx, head, 0, item, LineDefaults(cost_optional=True))
    return _Part(line=lines.stored_line(item, line, fields.base), tax=_tax(row, line))


def _tax(row: NumberedRow[InvoiceImportRow], line: Line) -> StoredTax:
    fields = row.fields
    return StoredTax(
        **{name: getattr(line, name) for name in _TAX_FIELDS},
        base=fields.base,
        amount=_stated(row, "taxAmount", fields.tax_amount, line.rate),
        surcharge_amount=_stated(row, "surchargeAmount", fields.surcharge_amount, line.surcharge_rate or ZERO),
        cost_base=None,
        untaxed_amount=None,
    )


def _stated(row: NumberedRow[InvoiceImportRow], field: str, amount: Decimal | None, rate: Decimal) -> Decimal:
    """Return the amount that a row states, else that of its rate. Raises RowError for a difference above 0.01."""
    computed = percent_of(row.fields.base, rate)
    if amount is None:
        return computed
    if abs(amount - computed) > (CENT if rate else ZERO):
        raise RowError(ImportMsg.NOT_AGREEING, field=field, place=row.place, stated=amount, computed=computed)
    return amount


def _content(head: InvoiceHead, client: Buyer, group: Group, parts: Sequence[_Part]) -> InvoiceContent:
    taxes = _summed([part.tax for part in parts])
    subtotal = sum((tax.base for tax in taxes), ZERO_AMOUNT)
    tax_amount = sum((tax.amount for tax in taxes), ZERO_AMOUNT)
    surcharge = sum((tax.surcharge_amount for tax in taxes), ZERO_AMOUNT)
    retention = shared(group, "retention_amount")
    retention = percent_of(subtotal, head.retention_rate) if retention is None else retention
    items = tuple(part.line for part in parts)
    return InvoiceContent(
        **vars(head),
        client=client.copy,
        client_id=client.client_id,
        items=items,
        subtotal=subtotal,
        tax_amount=tax_amount,
        surcharge_amount=surcharge,
        retention_amount=retention,
        total=subtotal + tax_amount + surcharge - retention,
        tax_breakdown=taxes,
        rounding="line",
        search_text=invoice_input.search_text(group[0].fields.number, client.copy, items, head.texts.notes),
    )


def _summed(taxes: Sequence[StoredTax]) -> tuple[StoredTax, ...]:
    """Add up the rows of equal taxes, in the order of their first rows."""
    sums: dict[tuple[object, ...], StoredTax] = {}
    for tax in taxes:
        key = tuple(getattr(tax, name) for name in _TAX_FIELDS)
        before = sums.get(key)
        amounts = ("base", "amount", "surcharge_amount")
        added = {} if before is None else {name: getattr(before, name) + getattr(tax, name) for name in amounts}
        sums[key] = tax.model_copy(update=added)
    return tuple(sums.values())


def _retention_rate(group: Group) -> Decimal:
    """Return the rate that the rows state, else that of the amount withheld: whole percents where they fit."""
    rate: Decimal | None = shared(group, "retention_rate")
    amount: Decimal | None = shared(group, "retention_amount")
    base = sum((row.fields.base for row in group), ZERO_AMOUNT)
    if rate is not None or not amount or not base:
        return rate or ZERO
    exact = abs(amount * HUNDRED / base)
    whole = exact.quantize(Decimal(1))
    return whole if abs(abs(amount) - percent_of(abs(base), whole)) <= CENT else round_cents(exact)


def _check_amounts(group: Group, content: InvoiceContent) -> None:
    """Raise RowError for a retention or a total that the other amounts do not make, or for amounts out of bounds."""
    computed = percent_of(content.subtotal, content.retention_rate)
    if abs(content.retention_amount - computed) > CENT * len(group):
        stated = content.retention_amount
        raise RowError(ImportMsg.NOT_AGREEING, field="retentionAmount", stated=stated, computed=computed)
    total = shared(group, "total")
    gross = content.total + content.retention_amount
    if total is not None and total not in {content.total, gross}:
        raise RowError(ImportMsg.NOT_AGREEING, field="total", stated=total, computed=content.total)
    if max(abs(content.subtotal), abs(content.total), abs(gross)) > LARGEST:
        raise RowError(InvoicesMsg.AMOUNTS_TOO_LARGE, field="base", largest=LARGEST)
    negative = content.total < 0 or any(tax.base < 0 for tax in content.tax_breakdown)
    if negative and content.doc_type != DocumentKind.CREDIT_NOTE:
        raise RowError(InvoicesMsg.AMOUNTS_NEGATIVE, field="base")
