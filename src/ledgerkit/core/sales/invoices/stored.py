"""Stored JSON of invoices: one frozen type and one codec for each JSON column.

Keys are the wire's, except in the issuer's copy, which has the names of the account's columns.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import cast

from pydantic import ConfigDict

from ledgerkit.core.platform.database.stored_json import DirectDecoder, JsonCodec, StoredJson, StoredObject
from ledgerkit.providers.api import Party, TaxCategory, TaxLine


class StoredClient(StoredObject):
    """Client as it stands on one invoice, whatever becomes of the stored client."""

    name: str | None
    tax_id: str | None
    tax_id_kind: str | None
    country: str
    email: str | None
    address: str | None
    city: str | None
    postal_code: str | None
    province: str | None
    language: str


class StoredIssuer(StoredObject):
    """Issuer as it was when the invoice was issued, whatever becomes of the account."""

    model_config = ConfigDict(alias_generator=None)

    name: str
    company: str | None
    country: str
    tax_id: str | None
    address: str | None
    postal_code: str | None
    city: str | None
    province: str | None
    email: str | None
    phone: str | None


class StoredLine(StoredObject):
    """Line of an invoice or of a till's sale. Rates and discount in percent.

    `line_total` is net, or contains the tax where the document's prices do.
    """

    description: str
    quantity: Decimal
    unit_price: Decimal
    tax_rate: Decimal
    discount: Decimal
    tax_category: TaxCategory
    exemption_code: str | None
    regime_key: str | None
    not_subject_reason: str | None
    surcharge_rate: Decimal | None
    surcharge_by_default: bool
    catalog_item_id: str | None
    variant_index: int | None
    unit: str | None
    tax: str | None
    cost_base: Decimal | None
    purchase_cost: Decimal | None
    line_total: Decimal

    @property
    def signed_quantity(self) -> Decimal:
        """Quantity that the line sells: a negative price gives back, as a negative quantity does."""
        return -self.quantity if self.unit_price < 0 else self.quantity


class StoredTax(StoredObject):
    """Row of a tax breakdown. Rates in percent; `untaxed_amount` only under a margin scheme."""

    category: TaxCategory
    rate: Decimal
    base: Decimal
    amount: Decimal
    surcharge_rate: Decimal | None
    surcharge_amount: Decimal
    exemption_code: str | None
    regime_key: str | None
    tax: str | None
    cost_base: Decimal | None
    not_subject_reason: str | None
    untaxed_amount: Decimal | None

    @classmethod
    def of(cls, line: TaxLine) -> "StoredTax":
        """Return the stored form of a tax line."""
        return cls(
            category=line.category,
            rate=line.rate,
            base=line.base,
            amount=line.amount,
            surcharge_rate=line.surcharge_rate,
            surcharge_amount=line.surcharge_amount,
            exemption_code=line.exemption_code,
            regime_key=line.regime_key,
            tax=line.tax,
            cost_base=line.cost_base,
            not_subject_reason=line.not_subject_reason,
            untaxed_amount=line.untaxed,
        )

    def tax_line(self) -> TaxLine:
        """Return the tax line that countries and printing work with."""
        return TaxLine(
            category=self.category,
            rate=self.rate,
            base=self.base,
            amount=self.amount,
            surcharge_rate=self.surcharge_rate,
            surcharge_amount=self.surcharge_amount,
            exemption_code=self.exemption_code,
            regime_key=self.regime_key,
            tax=self.tax,
            cost_base=self.cost_base,
            not_subject_reason=self.not_subject_reason,
            untaxed=self.untaxed_amount,
        )


class StoredAmounts(StoredObject):
    """Amounts of a document with its tax rows."""

    subtotal: Decimal
    tax_amount: Decimal
    surcharge_amount: Decimal
    retention_amount: Decimal
    total: Decimal
    tax_breakdown: tuple[StoredTax, ...]


class StoredReplaced(StoredAmounts):
    """Amounts that a credit note by substitution replaces."""


class StoredConverted(StoredAmounts):
    """Amounts in the account's currency of a document in another one."""


class StoredGoods(StoredObject):
    """Quantity of one catalog item, or of one of its variants, that was sold and not brought back."""

    catalog_item_id: str
    variant_index: int | None
    quantity: Decimal


class StoredThirdParty(StoredObject):
    """Third party that makes the invoice out in the issuer's name."""

    name: str
    tax_id: str | None
    country: str


class EInvoiceStamp(StoredObject):
    """Fields that invoices read of the e-invoicing result stored on them; `einvoice.results.stamp` writes all of it."""

    country: str
    provider: str
    fiscal_id: str
    qr_url: str | None
    environment: str


CLIENT = JsonCodec(StoredClient)
ISSUER = JsonCodec(StoredIssuer)
LINES = JsonCodec(tuple[StoredLine, ...])
PARTY = DirectDecoder[Party](Party, StoredClient)
TAX_ROWS = JsonCodec(tuple[StoredTax, ...])
TAX_LINES = DirectDecoder[TaxLine](TaxLine, StoredTax, {"untaxed": "untaxed_amount"})
REPLACED = JsonCodec(StoredReplaced)
CONVERTED = JsonCodec(StoredConverted)
GOODS = JsonCodec(tuple[StoredGoods, ...])
THIRD_PARTY = JsonCodec(StoredThirdParty)
EINVOICE = JsonCodec(EInvoiceStamp)


def stored_stamp(result: Mapping[str, object]) -> StoredJson[EInvoiceStamp]:
    """Return an e-invoicing result, as JSON in wire names, as the value of the column `einvoice`."""
    return cast("StoredJson[EInvoiceStamp]", result)
