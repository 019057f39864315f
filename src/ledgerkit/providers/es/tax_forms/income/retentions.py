"""Income that the account pays less a retention: why, to whom, and on which day the duty to withhold arises.

Sources: Ley 35/2006, arts. 99 and 101; RD 439/2007, arts. 75 to 78 and 100 (rent), 95 (professionals).
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from ledgerkit.money import ZERO
from ledgerkit.providers.api import (
    BooksOutline,
    DateSpan,
    DeclarationWarning,
    FiledDocument,
    FormInput,
    Party,
    Purchase,
    PurchaseFacts,
    PurchaseKind,
    RetentionKind,
    TaxPeriod,
)
from ledgerkit.providers.es import tax_ids
from ledgerkit.providers.es.tax_forms.income.warnings import warnings_where
from ledgerkit.providers.es.tax_forms.messages import IncomeFormMsg
from ledgerkit.providers.es.tax_forms.official_form import profile_in
from ledgerkit.providers.es.tax_forms.profile import WithholdingDate

EMPLOYMENT = frozenset({RetentionKind.EMPLOYMENT, RetentionKind.EMPLOYMENT_IN_KIND})

CERTAIN_CATEGORIES: Mapping[str, RetentionKind] = {
    "rent": RetentionKind.RENT,
    "professional": RetentionKind.PROFESSIONAL,
}
"""Categories that imply the reason where the document does not state it. Any other category does not."""


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
    """Return the reason of a retention: that of the document, else the one that its category implies."""
    return purchase.retention_kind or CERTAIN_CATEGORIES.get(purchase.category)


def days_withheld(purchase: PurchaseFacts, kinds: Collection[RetentionKind]) -> Collection[date]:
    """Return the day of payment of an income of these kinds; a wage counts even if nothing is withheld of it."""
    kind = purchase.retention_kind or CERTAIN_CATEGORIES.get(purchase.category)
    is_withheld = bool(purchase.retention) or purchase.retention_kind in EMPLOYMENT
    return {purchase.paid_on} if is_withheld and kind in kinds and purchase.paid_on is not None else ()


def withholding_day(purchase: Purchase, rule: WithholdingDate) -> date | None:
    """Return the day on which the duty to withhold arises, that of the first payment; None while nothing is paid.

    A credit note that is set off, and not paid out, counts with the payment of the document that it corrects, or on its
    own date where that document is unknown. An account that counts by documents takes the date of each. Source: RD
    439/2007, art. 78.1 (when the income is paid or credited).
    """
    if rule is WithholdingDate.DOCUMENT:
        return purchase.issue_date
    gross = purchase.gross_total
    paid = min((payment.day for payment in purchase.payments if payment.amount * gross > 0), default=None)
    if paid is not None or purchase.kind is not PurchaseKind.CREDIT_NOTE:
        return paid
    if not purchase.corrects:
        return purchase.issue_date
    corrected = purchase.corrected_paid_on
    return None if corrected is None else max(purchase.issue_date, corrected)


def payee_key(party: Party) -> str:
    """Return what all documents of a party share: its tax id, else its name."""
    if party.tax_id:
        return tax_ids.spanish(party.tax_id) or "".join(party.tax_id.upper().split())
    return f"name {' '.join(party.name.casefold().split())}"


def paid_incomes(form_input: FormInput, form: str, kinds: Collection[RetentionKind]) -> PaidIncomes:
    """Return the purchases of a period with retention of these kinds, in the order of their ids.

    What the periodic `form` has declared already stays in the period of that declaration. Warns of purchases with
    retention whose kind is not known, of people outside Spain (forms 216 and 296 are theirs), of payees without a tax
    id, and of what was received in the period and is not paid.
    """
    span, profile = form_input.period.span, profile_in(form_input.profile, form_input.period)
    purchases = sorted(form_input.ledger.purchases, key=lambda purchase: purchase.document_id)
    by_payment = {purchase.document_id: withholding_day(purchase, profile.withholding_date) for purchase in purchases}
    days = {**by_payment, **_filed_days(form_input.filed, form)}
    subject = [purchase for purchase in purchases if _is_withheld(purchase)]
    withheld = [payment for payment in subject if (day := days.get(payment.document_id)) is not None and day in span]
    residents = [purchase for purchase in withheld if _is_resident(purchase.vendor)]
    listed = [
        PaidIncome(purchase=purchase, kind=kind, payee=payee_key(purchase.vendor))
        for purchase in residents
        if (kind := retention_kind(purchase)) is not None and kind in kinds
    ]
    unknown = (resident.document_id for resident in residents if retention_kind(resident) is None)
    foreign = (payment.document_id for payment in withheld if not _is_resident(payment.vendor))
    nameless = (record.purchase.document_id for record in listed if not record.purchase.vendor.tax_id)
    unpaid = (
        payment.document_id
        for payment in subject
        if payment.issue_date in span and days.get(payment.document_id) is None and _may_be(payment, kinds)
    )
    return PaidIncomes(
        listed=listed,
        warnings=warnings_where(
            (IncomeFormMsg.KIND_UNKNOWN, unknown),
            (IncomeFormMsg.NON_RESIDENT, foreign),
            (IncomeFormMsg.PAYEE_UNKNOWN, nameless),
            (IncomeFormMsg.WITHHELD_WHEN_PAID, unpaid),
        ),
    )


def _filed_days(filed: Iterable[FiledDocument], form: str) -> Mapping[str, date]:
    """Return the last day of the first period in which a form has declared each document."""
    days: dict[str, date] = {}
    for document in filed:
        if document.form == form:
            day = document.period.span.last
            days[document.document_id] = min(days.get(document.document_id, day), day)
    return days


def _may_be(purchase: Purchase, kinds: Collection[RetentionKind]) -> bool:
    kind = retention_kind(purchase)
    return kind is None or kind in kinds


def _is_withheld(purchase: Purchase) -> bool:
    """Wages are declared even where nothing is withheld of them; any other income only with its retention."""
    return purchase.retention != ZERO or (purchase.retention_kind in EMPLOYMENT and purchase.retention_base != ZERO)


def _is_resident(party: Party) -> bool:
    return party.country == "ES" or (party.tax_id is not None and tax_ids.spanish(party.tax_id) is not None)


def withholds(
    forms: Collection[str], kinds: Collection[RetentionKind], period: TaxPeriod, outline: BooksOutline
) -> bool:
    """Return True where purchases since the year before bear a retention of the kinds, or of none that is said.

    A purchase is declared when it is paid, so an earlier one tells as much as one of the period; and who declared one
    of `forms` goes on until nothing is withheld any more.
    """
    span = since_the_year_before(period, outline.today)
    kinds_withheld = (
        payment.kind or CERTAIN_CATEGORIES.get(payment.category)
        for payment in outline.withheld
        if payment.month in span
    )
    return not outline.declared.isdisjoint(forms) or any(kind is None or kind in kinds for kind in kinds_withheld)


def since_the_year_before(period: TaxPeriod, today: date) -> DateSpan:
    """Return the days to the end of a period from the year before it on, or before today if that is earlier."""
    return DateSpan(first=date(min(period.year, today.year) - 1, 1, 1), last=period.span.last)
