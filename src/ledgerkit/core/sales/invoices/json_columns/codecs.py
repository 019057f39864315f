"""Stored JSON of invoices: one frozen type and one codec for each JSON column.

Keys are the wire's, except in the issuer's copy, which has the names of the account's columns.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import cast

from pydantic import ConfigDict

from ledgerkit.core.platform.database.stored_json import DirectDecoder, JsonCodec, StoredJson, StoredObject
from ledgerkit.core.platform.request.context import AccountProfile
from ledgerkit.providers.api import Party, TaxCategory, TaxLine


class StoredClient(StoredObject):
    """Client of one invoice, independent of later changes of the stored client."""

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

    def party(self) -> Party | None:
        """Return the party that a document is made out to; None for one that names nobody."""
        fields = {name: value for name, value in vars(self).items() if name != "language"}
        return Party(**fields) if self.name else None


class StoredIssuer(StoredObject):
    """Issuer as it was when the invoice was issued, independent of later changes of the account."""

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

    @classmethod
    def of(cls, account: AccountProfile) -> "StoredIssuer":
        """Return the account's name, tax identifier and address as an issued document stores them."""
        return cls(**{name: getattr(account, name) for name in cls.model_fields})

    def party(self) -> Party:
        """Return the issuer as countries see it."""
        fields = {name: value for name, value in vars(self).items() if name not in {"company", "phone"}}
        return Party(**{**fields, "name": self.company or self.name})


class StoredLine(StoredObject):
    """Line of an invoice or of a till's sale. Rates and discount in percent.

    `line_total` is net, or contains the tax where the document's prices do.
    """

    description: str
    """Text of the line, up to 1000 characters."""
    quantity: Decimal
    """Number of units, up to four decimals; below zero for what is given back."""
    unit_price: Decimal
    """Price of one unit in the document's currency, up to four decimals; with its tax where pricesIncludeTax or
    purchaseCost."""
    tax_rate: Decimal
    """Percent of tax (usually VAT) of the line, 0 to 100."""
    discount: Decimal
    """Percent taken off the price, 0 to 100."""
    tax_category: TaxCategory
    """Tax category of the line: standard bears tax; exempt, not_subject, reverse_charge, export, and those within
    the EU do not."""
    exemption_code: str | None
    """Country's code of the reason for the exemption, as E1 in Spain; null for none."""
    regime_key: str | None
    """Country's key of the line's tax regime, as 01 in Spain; null for the usual one."""
    not_subject_reason: str | None
    """Reason why the line is not subject to the tax, by the country's keys; null where not said."""
    surcharge_rate: Decimal | None
    """Percent of equivalence surcharge, 0 to 100; null for none."""
    surcharge_by_default: bool
    """True where the surcharge was taken because the client is under that scheme."""
    catalog_item_id: str | None
    """Id of the catalog item that is sold; null for none."""
    variant_index: int | None
    """Place of the variant in the catalog item's list, from 0; null for none."""
    unit: str | None
    """Unit of the quantity, as h or kg; null for none."""
    tax: str | None
    """Key of another tax than the country's general one; null for that one."""
    cost_base: Decimal | None
    """Base of the line at cost, in the document's currency, where its regime wants it; else null."""
    purchase_cost: Decimal | None
    """Cost of the line to the seller, taxes included, in the document's currency, under a margin scheme; else null."""
    line_total: Decimal
    """Amount of the line in the document's currency: net, or with its tax where pricesIncludeTax or purchaseCost."""

    @property
    def signed_quantity(self) -> Decimal:
        """Quantity that the line sells: a negative price gives back, as a negative quantity does."""
        return -self.quantity if self.unit_price < 0 else self.quantity


class StoredTax(StoredObject):
    """Row of a tax breakdown. Rates in percent; `untaxed_amount` only under a margin scheme."""

    category: TaxCategory
    """Tax category of the lines: standard bears tax; exempt, not_subject, reverse_charge, export, and those within
    the EU do not."""
    rate: Decimal
    """Percent of tax, 0 to 100."""
    base: Decimal
    """Net amount that the tax is computed on."""
    amount: Decimal
    """Tax on that base, without equivalence surcharge."""
    surcharge_rate: Decimal | None
    """Percent of equivalence surcharge, 0 to 100; null for none."""
    surcharge_amount: Decimal
    """Equivalence surcharge on that base; zero for none."""
    exemption_code: str | None
    """Country's code of the reason for the exemption, as E1 in Spain; null for none."""
    regime_key: str | None
    """Country's key of the tax regime, as 01 in Spain; null for the usual one."""
    tax: str | None
    """Key of another tax than the country's general one; null for that one."""
    cost_base: Decimal | None
    """Base at cost, where the regime wants it; else null."""
    not_subject_reason: str | None
    """Reason why they are not subject to the tax, by the country's keys; null where not said."""
    untaxed_amount: Decimal | None
    """Part of the price that is neither base nor tax, under a margin scheme; else null."""

    @classmethod
    def of(cls, line: TaxLine) -> "StoredTax":
        """Return the stored form of a tax line."""
        columns = dict(vars(line))
        return cls(untaxed_amount=columns.pop("untaxed"), **columns)

    def tax_line(self) -> TaxLine:
        """Return the tax line that countries and printing work with."""
        values = dict(vars(self))
        return TaxLine(untaxed=values.pop("untaxed_amount"), **values)


class StoredAmounts(StoredObject):
    """Amounts of a document with its tax rows."""

    subtotal: Decimal
    """Net amount before taxes and retention."""
    tax_amount: Decimal
    """Tax of all lines (usually VAT), without equivalence surcharge."""
    surcharge_amount: Decimal
    """Equivalence surcharge of all lines; zero for none."""
    retention_amount: Decimal
    """Income tax withheld; it lowers what is paid, never the VAT."""
    total: Decimal
    """Amount due: net plus tax and surcharge less retention."""
    tax_breakdown: tuple[StoredTax, ...]
    """Base and tax of each category, rate and regime of tax."""


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
    """Name of the third party, up to 120 characters."""
    tax_id: str | None
    """Tax identifier of the third party."""
    country: str
    """ISO 3166 code of the third party's country, two letters; by default the account's."""


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
