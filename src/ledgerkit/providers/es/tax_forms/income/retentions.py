"""Income that the account pays less a retention: why, to whom, and on which day the duty to withhold arises.

Sources: Ley 35/2006, arts. 99 and 101; RD 439/2007, arts. 75 to 78 and 100 (rent), 95 (professionals).
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from ledgerkit.money import ZERO
from ledgerkit.providers.api import DateSpan, DeclarationWarning, Ledger, Party, Purchase, RetentionKind
from ledgerkit.providers.es import tax_ids
from ledgerkit.providers.es.tax_forms.income.messages import IncomeFormMsg
from ledgerkit.providers.es.tax_forms.income.warnings import warnings_where
from ledgerkit.providers.es.tax_forms.profile import SpanishTaxProfile, WithholdingDate

EMPLOYMENT = frozenset({RetentionKind.EMPLOYMENT, RetentionKind.EMPLOYMENT_IN_KIND})

CERTAIN_CATEGORIES: Mapping[str, RetentionKind] = {
    "rent": RetentionKind.RENT,
    "professional": RetentionKind.PROFESSIONAL,
}
"""Categories that say the reason where the document does not. Any other leaves it open."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PaidIncome:
    """Purchase of which income tax was withheld. `payee` is the same for all documents of one person."""

    purchase: Purchase
    kind: RetentionKind
    payee: str


@dataclass(frozen=True, kw_only=True)
class PaidIncomes:
    """Purchases of a period with retention of the kinds asked for, and warnings about all that has retention."""

    listed: Sequence[PaidIncome]
    warnings: Sequence[DeclarationWarning]


def retention_kind(purchase: Purchase) -> RetentionKind | None:
    """Return why tax was withheld: what the document says, else what its category makes certain."""
    return purchase.retention_kind or CERTAIN_CATEGORIES.get(purchase.category)


def withholding_day(purchase: Purchase, rule: WithholdingDate) -> date:
    """Return the day on which the duty to withhold arises: of the first payment, or where none is known the invoice's.

    Source: RD 439/2007, art. 78.1 (when the income is paid or credited).
    """
    paid = [payment.day for payment in purchase.payments if payment.amount > 0]
    return min(paid) if paid and rule is WithholdingDate.PAYMENT else purchase.issue_date


def payee_key(party: Party) -> str:
    """Return what all documents of a party share: its tax id, else its name."""
    if party.tax_id:
        return tax_ids.spanish(party.tax_id) or "".join(party.tax_id.upper().split())
    return f"name {' '.join(party.name.casefold().split())}"


def paid_incomes(
    ledger: Ledger, span: DateSpan, profile: SpanishTaxProfile, kinds: Collection[RetentionKind]
) -> PaidIncomes:
    """Return the purchases of a span with retention of these kinds, in the order of their ids.

    Warns of purchases with retention whose kind is not known, of people outside Spain (forms 216 and 296 are theirs),
    and of payees without a tax id.
    """
    withheld = [
        purchase
        for purchase in sorted(ledger.purchases, key=lambda purchase: purchase.document_id)
        if _is_withheld(purchase) and withholding_day(purchase, profile.withholding_date) in span
    ]
    residents = [purchase for purchase in withheld if _is_resident(purchase.vendor)]
    listed = [
        PaidIncome(purchase=purchase, kind=kind, payee=payee_key(purchase.vendor))
        for purchase in residents
        if (kind := retention_kind(purchase)) is not None and kind in kinds
    ]
    unknown = (one.document_id for one in residents if retention_kind(one) is None)
    foreign = (one.document_id for one in withheld if not _is_resident(one.vendor))
    nameless = (one.purchase.document_id for one in listed if not one.purchase.vendor.tax_id)
    return PaidIncomes(
        listed=listed,
        warnings=warnings_where(
            (IncomeFormMsg.KIND_UNKNOWN, unknown),
            (IncomeFormMsg.NON_RESIDENT, foreign),
            (IncomeFormMsg.PAYEE_UNKNOWN, nameless),
        ),
    )


def _is_withheld(purchase: Purchase) -> bool:
    """Wages are declared even where nothing is withheld of them; any other income only with its retention."""
    return purchase.retention != ZERO or (purchase.retention_kind in EMPLOYMENT and purchase.retention_base != ZERO)


def _is_resident(party: Party) -> bool:
    return party.country == "ES" or (party.tax_id is not None and tax_ids.spanish(party.tax_id) is not None)
