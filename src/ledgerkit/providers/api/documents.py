"""Documents as countries see them: parties, taxes, and the documents that they correct. Frozen values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import StrEnum
from types import MappingProxyType
from typing import Literal


class TaxCategory(StrEnum):
    """Tax category of a line; the same in all countries, and the value on the wire."""

    STANDARD = "standard"
    EXEMPT = "exempt"
    NOT_SUBJECT = "not_subject"
    REVERSE_CHARGE = "reverse_charge"
    EXPORT = "export"
    INTRA_EU_GOODS = "intra_eu_goods"
    INTRA_EU_SERVICES = "intra_eu_services"


class DocumentKind(StrEnum):
    INVOICE = "invoice"
    SIMPLIFIED = "simplified"
    CREDIT_NOTE = "credit_note"


class IssuedBy(StrEnum):
    """Author of a document in the issuer's name: the issuer, the recipient (self-billing), or a third party."""

    ISSUER = "issuer"
    RECIPIENT = "recipient"
    THIRD_PARTY = "third_party"


@dataclass(frozen=True, kw_only=True)
class Party:
    """One side of a document, as frozen on it.

    `tax_id_kind` is a key of the country's `TaxRules.tax_id_kinds`, for a `tax_id` that is no tax number.
    """

    name: str
    tax_id: str | None
    country: str
    address: str | None = None
    postal_code: str | None = None
    city: str | None = None
    province: str | None = None
    email: str | None = None
    tax_id_kind: str | None = None


@dataclass(frozen=True, kw_only=True)
class TaxLine:
    """All lines of a document that share tax, category, rate, surcharge, exemption and regime. Rates in percent.

    `tax` is a key of the country's `TaxRules.taxes`; None is its general one. `cost_base` is the base at cost, which a
    few regimes want beside the base. `not_subject_reason` is a key of the country's `not_subject_reasons`; None where
    the line states no reason. `untaxed` is the part of the price outside of base and tax, under a regime that taxes the
    margin only; None under any other.

    Fields that were added after the first records were made are left out of `repr`, and are None by default. So the
    digest of a document without them stays what it was; `content_digest` of the seals adds those that are set.
    """

    category: TaxCategory
    rate: Decimal
    base: Decimal
    amount: Decimal
    surcharge_rate: Decimal | None = None
    surcharge_amount: Decimal = Decimal("0.00")
    exemption_code: str | None = None
    regime_key: str | None = None
    tax: str | None = None
    cost_base: Decimal | None = None
    not_subject_reason: str | None = field(default=None, repr=False)
    untaxed: Decimal | None = field(default=None, repr=False)


@dataclass(frozen=True, kw_only=True)
class DocumentRef:
    """Document as another document names it. `issuer_tax_id` is set where it has another issuer than that document."""

    number: str
    issue_date: date
    issuer_tax_id: str | None = field(default=None, repr=False)


@dataclass(frozen=True, kw_only=True)
class Correction:
    """Correction by a credit note: of which documents, by which method, for which reason code of the country."""

    documents: tuple[DocumentRef, ...]
    method: Literal["differences", "substitution"] = "differences"
    reason: str | None = None
    replaced_base: Decimal | None = None
    replaced_tax: Decimal | None = None
    replaced_surcharge: Decimal | None = None


@dataclass(frozen=True, kw_only=True)
class Document:
    """An issued document, whole, as a channel sees it. Amounts in `currency`, two decimals.

    A document with an exchange rate is in the account's currency, even if it is printed in another. `gross_total` is
    bases plus taxes, surcharges and untaxed amounts, before retention; `payable` is after retention. `substitutes` are
    the simplified documents that this one replaces. `details` are the country's own flags and references, by the keys
    of `TaxRules.document_details`. `place_of_supply` is an ISO 3166 code, or free text. `triangular`: True for goods
    that their vendor in another member state sent straight to the recipient, who owes the tax where they arrive
    (Directive 2006/112/EC, art. 141); None for all others.
    """

    kind: DocumentKind
    number: str
    issue_date: date
    operation_date: date | None
    issuer: Party
    recipient: Party | None
    currency: str
    description: str
    taxes: tuple[TaxLine, ...]
    tax_total: Decimal
    gross_total: Decimal
    retention: Decimal
    payable: Decimal
    correction: Correction | None = None
    substitutes: tuple[DocumentRef, ...] = ()
    issued_by: IssuedBy = IssuedBy.ISSUER
    third_party: Party | None = None
    details: Mapping[str, str | bool] = field(default_factory=lambda: MappingProxyType({}))
    place_of_supply: str | None = field(default=None, repr=False)
    triangular: Literal[True] | None = field(default=None, repr=False)
