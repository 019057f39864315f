"""Printed documents: everything that is printed on an invoice, already computed. The printer lays it out only."""

import dataclasses
import hashlib
import json
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Literal

from ledgerkit.core.platform.documents.languages import Words
from ledgerkit.providers.api import DocumentKind, DocumentRef, TaxCategory


class Watermark(StrEnum):
    """Reason for which a document must not be taken for a valid, final one."""

    DRAFT = "draft"
    SANDBOX = "sandbox"
    TEST = "test"
    VOID = "void"


class Paper(StrEnum):
    """Paper to print on: sheets of A4, or the roll of a till's printer, 80 mm wide and as long as the document."""

    A4 = "a4"
    RECEIPT = "receipt"


class Status(StrEnum):
    """Status of a document; shown on its public page only, since a printed document does not change."""

    DRAFT = "draft"
    SENT = "sent"
    PAID = "paid"
    OVERDUE = "overdue"
    VOID = "void"


@dataclass(frozen=True, kw_only=True)
class PartyBlock:
    """Sender or client as printed; `address` is one string per printed line.

    `is_vat_number`: the tax id is a VAT number of the European Union with its prefix, and is labelled so.
    """

    name: str
    tax_id: str | None = None
    is_vat_number: bool = False
    address: tuple[str, ...] = ()
    email: str | None = None
    phone: str | None = None


@dataclass(frozen=True, kw_only=True)
class PrintedLine:
    """One line. `discount` and `tax_rate` in percent; `tax_rate` is None where no tax is stated.

    `unit_price` and `total` are net, or contain the tax where the document's prices do. `category` is printed where it
    is not STANDARD. `tax_name` is the name of another tax than the document's.
    """

    description: str
    quantity: Decimal
    unit_price: Decimal
    total: Decimal
    unit: str | None = None
    discount: Decimal = Decimal(0)
    tax_rate: Decimal | None = None
    category: TaxCategory = TaxCategory.STANDARD
    tax_name: str | None = None


@dataclass(frozen=True)
class PrintedText:
    """A text among the facts at the top, under the word with the id `word`."""

    word: str
    text: str


@dataclass(frozen=True, kw_only=True)
class PrintedTax:
    """One row of the tax breakdown, rates in percent. `tax_name` is the name of another tax than the document's."""

    base: Decimal
    amount: Decimal
    rate: Decimal = Decimal(0)
    category: TaxCategory = TaxCategory.STANDARD
    tax_name: str | None = None
    surcharge_rate: Decimal | None = None
    surcharge_amount: Decimal = Decimal(0)


@dataclass(frozen=True, kw_only=True)
class PrintedExchange:
    """Amounts in the account's `currency` of a document in another one; `source` says where the `rate` is from.

    Source: RD 1619/2012 art. 12.1 (the tax charged is expressed in euros).
    """

    currency: str
    rate: Decimal
    source: str | None
    taxes: tuple[PrintedTax, ...]
    tax_amount: Decimal
    gross_total: Decimal


@dataclass(frozen=True, kw_only=True)
class Qr:
    """Fiscal QR: its exact content, the words around it, and its size.

    `size_mm` is the width of the symbol without its white margin (30 to 40), `margin_mm` the margin on each side (2 or
    more, 6 advised). Source: Orden HAC/1177/2024, articles 20 and 21; AEAT's QR description 0.5.0.
    """

    url: str
    above: str
    below: str | None = None
    size_mm: int = 35
    margin_mm: int = 6
    error_level: Literal["L", "M", "Q", "H"] = "M"


@dataclass(frozen=True, kw_only=True)
class PrintedDocument:
    """A document as it is printed. Amounts in `currency`, two decimals; unit prices and quantities up to four.

    `gross_total` = `subtotal` + `tax_amount` + `surcharge_amount` ("Total factura", as in the QR); `payable` is
    `gross_total` less retention ("Total a pagar"). `retention_amount` is positive on an invoice.
    `number` is None while the document is a draft. `logo` is a `data:image/...` URL; anything else is not printed.
    `words` are those of the document's language; `tax_name` is the tax's short name in it, None for IVA/VAT.
    `exchange` is None where the amounts are in the account's currency, or have no exchange rate.
    `is_invoice` is False where the issuer's tax identifier is missing: then neither its title nor a mail calls it one.
    `status` appears on the public page only and never changes the PDF. Without `taxes` no tax is stated at all.
    """

    kind: DocumentKind
    number: str | None
    words: Words
    issue_date: date
    sender: PartyBlock
    client: PartyBlock | None
    lines: tuple[PrintedLine, ...]
    taxes: tuple[PrintedTax, ...]
    subtotal: Decimal
    tax_amount: Decimal
    gross_total: Decimal
    payable: Decimal
    currency: str = "EUR"
    operation_date: date | None = None
    due_date: date | None = None
    surcharge_amount: Decimal = Decimal(0)
    retention_rate: Decimal = Decimal(0)
    retention_amount: Decimal = Decimal(0)
    amount_paid: Decimal = Decimal(0)
    payment_method: str | None = None
    iban: str | None = None
    notes: str | None = None
    terms: str | None = None
    legends: tuple[str, ...] = ()
    corrects: tuple[DocumentRef, ...] = ()
    correction_reason: str | None = None
    references: tuple[PrintedText, ...] = ()
    logo: str | None = None
    qr: Qr | None = None
    watermark: Watermark | None = None
    status: Status | None = None
    title: str | None = None
    tax_name: str | None = None
    prices_include_tax: bool = False
    exchange: PrintedExchange | None = None
    is_invoice: bool = True

    @property
    def kind_name(self) -> str:
        """Name of the kind of document, as its title has it."""
        return self.words[f"kind.{self.kind}" if self.is_invoice else "kind.no_invoice"]

    @property
    def language(self) -> str:
        return self.words.language


def fingerprint(document: PrintedDocument) -> str:
    """Return the SHA-256 (hex) of the printed content; documents that differ in their status only have the same one."""
    printed = dataclasses.asdict(dataclasses.replace(document, status=None))
    text = json.dumps(printed, default=str, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
