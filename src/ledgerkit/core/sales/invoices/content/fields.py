"""Content of an invoice: what its author decides, and what is computed from it, also in the account's currency."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from uuid import UUID

from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.documents import exchange_rates
from ledgerkit.core.sales.invoices.api import InvoiceItemInput, InvoiceTexts
from ledgerkit.core.sales.invoices.dates.issue_and_due import Dates, dates_of
from ledgerkit.core.sales.invoices.json_columns.codecs import (
    CLIENT,
    CONVERTED,
    LINES,
    TAX_ROWS,
    THIRD_PARTY,
    StoredClient,
    StoredConverted,
    StoredLine,
    StoredReplaced,
    StoredTax,
    StoredThirdParty,
)
from ledgerkit.core.sales.invoices.table import InvoiceRow
from ledgerkit.money import ZERO_AMOUNT


@dataclass(frozen=True, kw_only=True)
class FiscalFields:
    """Data for the tax authority beyond the amounts: who makes the invoice out, details, the method of correction."""

    issued_by: str
    third_party: StoredThirdParty | None
    operation_description: str | None
    triangular: bool
    fiscal_details: Mapping[str, bool | str] | None
    correction_reason: str | None
    correction_method: str | None

    @classmethod
    def stated(cls, row: InvoiceRow) -> "FiscalFields":
        """Return the fields of a stored invoice."""
        columns = {name: getattr(row, name) for name in cls.__dataclass_fields__}
        return cls(**{**columns, "third_party": THIRD_PARTY.decode(row.third_party)})


@dataclass(frozen=True, kw_only=True)
class InvoiceHead(FiscalFields, Dates):
    """Kind, series, dates, currency, rates and texts of an invoice; its lines depend on them. Tax rates in percent."""

    texts: InvoiceTexts
    doc_type: str
    series: str
    operation_date: date | None
    currency: str
    exchange_rate: Decimal | None
    exchange_rate_source: str | None
    tax_rate: Decimal
    retention_rate: Decimal
    prices_include_tax: bool

    @property
    def rates_date(self) -> date:
        """Day whose tax rates apply: that of the operation, else of the issue."""
        return self.operation_date or self.issue_date


@dataclass(frozen=True, kw_only=True)
class InvoiceContent(InvoiceHead):
    """Head, client, lines and amounts of an invoice. Amounts in its currency, two decimals."""

    client: StoredClient
    client_id: UUID | None
    items: tuple[StoredLine, ...]
    subtotal: Decimal
    tax_amount: Decimal
    surcharge_amount: Decimal
    retention_amount: Decimal
    total: Decimal
    tax_breakdown: tuple[StoredTax, ...]
    rounding: str
    search_text: str

    @classmethod
    def of(cls, row: InvoiceRow, today: date) -> "InvoiceContent":
        """Return the content of a stored invoice; dates that a draft does not state are those of the day `today`."""
        texts = InvoiceTexts.model_construct(None, **{name: getattr(row, name) for name in InvoiceTexts.model_fields})
        parts = {**vars(dates_of(row, today)), "texts": texts}
        columns = {name: getattr(row, name) for name in cls.__dataclass_fields__ if name not in parts}
        decoded = {
            "client": CLIENT.decode(row.client),
            "items": LINES.decode(row.items),
            "tax_breakdown": TAX_ROWS.decode(row.tax_breakdown),
            "third_party": THIRD_PARTY.decode(row.third_party),
        }
        return cls(**{**columns, **decoded, **parts})

    @property
    def converted(self) -> StoredConverted | None:
        """Amounts in the account's currency; None in that currency, and without an exchange rate."""
        return converted(self.tax_breakdown, self.retention_amount, self.exchange_rate)

    def columns(self) -> Values[InvoiceRow]:
        """Return the columns of the invoice's row that hold the content."""
        encoded = Values(
            InvoiceRow,
            client=CLIENT.encode(self.client),
            items=LINES.encode(self.items),
            tax_breakdown=TAX_ROWS.encode(self.tax_breakdown),
            third_party=THIRD_PARTY.encode(self.third_party),
            converted=CONVERTED.encode(self.converted),
        )
        texts = Values.copied(InvoiceRow, self.texts, InvoiceTexts.model_fields)
        others = [name for name in vars(self) if name not in Dates.__dataclass_fields__ and name != "texts"]
        return texts | Values.copied(InvoiceRow, self, others) | encoded | self.date_columns()


def as_input(line: StoredLine) -> InvoiceItemInput:
    """Return a stored line as input again. Raises ValidationError for values that input does not admit."""
    return InvoiceItemInput.model_validate(line.model_dump())


# ---------------------------------------------------------------- amounts in the account's currency


def converted(taxes: Sequence[StoredTax], retention: Decimal, rate: Decimal | None) -> StoredConverted | None:
    """Convert tax rows and retention at `rate`; None without a rate. All sums are those of the converted rows.

    Raises Invalid for amounts that are too large to be stored.
    """
    if rate is None:
        return None
    rows = tuple(_converted_row(row, rate) for row in taxes)
    subtotal = sum((row.base + (row.untaxed_amount or ZERO_AMOUNT) for row in rows), ZERO_AMOUNT)
    tax = sum((row.amount for row in rows), ZERO_AMOUNT)
    surcharge = sum((row.surcharge_amount for row in rows), ZERO_AMOUNT)
    withheld = exchange_rates.converted(retention, rate)
    parts = [amount for row in rows for amount in (row.base, row.amount, row.untaxed_amount or ZERO_AMOUNT)]
    exchange_rates.check_size([*parts, subtotal, tax, subtotal + tax + surcharge, withheld])
    return StoredConverted(
        subtotal=subtotal,
        tax_amount=tax,
        surcharge_amount=surcharge,
        retention_amount=withheld,
        total=subtotal + tax + surcharge - withheld,
        tax_breakdown=rows,
    )


def converted_replaced(replaced: StoredReplaced | None, rate: Decimal | None) -> StoredConverted | None:
    """Convert the amounts that a credit note by substitution replaces; None for any other document."""
    return None if replaced is None else converted(replaced.tax_breakdown, replaced.retention_amount, rate)


def converted_payment(row: InvoiceRow, before: Decimal, after: Decimal) -> Decimal | None:
    """Convert the payment that raises the paid amount of an invoice from `before` to `after`; None unless converted.

    The payments of the whole total add up to the converted total.
    """
    amounts = CONVERTED.decode(row.converted)
    if amounts is None or row.exchange_rate is None:
        return None
    paid = [
        exchange_rates.converted_part(part, row.total, amounts.total, row.exchange_rate) for part in (before, after)
    ]
    return paid[1] - paid[0]


def _converted_row(row: StoredTax, rate: Decimal) -> StoredTax:
    return row.model_copy(
        update={
            "base": exchange_rates.converted(row.base, rate),
            "amount": exchange_rates.converted(row.amount, rate),
            "surcharge_amount": exchange_rates.converted(row.surcharge_amount, rate),
            "cost_base": _converted(row.cost_base, rate),
            "untaxed_amount": _converted(row.untaxed_amount, rate),
        }
    )


def _converted(amount: Decimal | None, rate: Decimal) -> Decimal | None:
    return None if amount is None else exchange_rates.converted(amount, rate)
