"""Form 347: yearly operations with third parties above a limit.

Sources: RD 1065/2007, arts. 31 to 35; Orden EHA/3012/2008; record design of form 347.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from pydantic import JsonValue

from ledgerkit.money import ZERO
from ledgerkit.providers.api import (
    Box,
    Computation,
    DeclarationWarning,
    DeclaredRecord,
    FormInput,
    Party,
    PurchaseFacts,
    TaxPeriod,
    TaxProfile,
)
from ledgerkit.providers.es import tax_ids
from ledgerkit.providers.es.tax_forms import purchase_days
from ledgerkit.providers.es.tax_forms.form_texts import BoxTexts, by_key, filed_only_if, form_name
from ledgerkit.providers.es.tax_forms.income.warnings import omissions, warnings_where
from ledgerkit.providers.es.tax_forms.lists.declared import about_parties, declared, euros, party_fields
from ledgerkit.providers.es.tax_forms.lists.record_fields import FIELDS_347
from ledgerkit.providers.es.tax_forms.lists.third_party_operations import SALES, Marks, Operation, operations
from ledgerkit.providers.es.tax_forms.messages import ListFormMsg
from ledgerkit.providers.es.tax_forms.official_form import QUARTERS, YEAR, OfficialForm, profile_in
from ledgerkit.providers.es.tax_forms.profile import spanish
from ledgerkit.providers.es.tax_forms.sheet import Contribution, Sheet


@dataclass(frozen=True, kw_only=True)
class ThirdPartyLimits:
    """Yearly amount of operations with a party, VAT included, and of cash received from it."""

    since: date
    operations: Decimal
    cash: Decimal
    source: str


_LIMITS = (
    ThirdPartyLimits(
        since=date(2008, 1, 1),
        operations=Decimal("3005.06"),
        cash=Decimal(6000),
        source="RD 1065/2007, arts. 33.1 and 34.1.h",
    ),
)
"""The newest first."""


def third_party_limits(day: date) -> ThirdPartyLimits:
    """Return the limits in force on a day; before the first ones known, those."""
    return next((limits for limits in _LIMITS if day >= limits.since), _LIMITS[-1])


RECORDS, AMOUNT, PROPERTIES, LEASES = "01", "02", "03", "04"

_FORM = BoxTexts("347")
BOXES: Mapping[str, Box] = by_key(
    (_FORM.box(RECORDS, decimals=0), *_FORM.listed("02s-"), _FORM.box(PROPERTIES, decimals=0), *_FORM.listed("04-"))
)


class _Line(NamedTuple):
    """Identity of a record: party and key, the marks, and for cash of earlier operations their year."""

    party_key: str
    key: str
    marks: Marks
    cash_year: int


class Form347(OfficialForm):
    """Yearly list of the parties with whom the operations, VAT included, are above the limit.

    No document has data of leased properties: their boxes are filled by hand.
    """

    code = "347"
    needs_records = True
    record_fields = FIELDS_347
    name = form_name("347")
    only_if = filed_only_if("347")
    period_codes = YEAR
    official_boxes = BOXES

    def is_due(self, profile: TaxProfile, period: TaxPeriod) -> bool:
        """Not due by accounts that file monthly: the agency already has their books (RD 1065/2007, art. 32.1.e)."""
        return period.code in YEAR and not profile_in(profile, period).files_monthly

    def purchase_days(self, purchase: PurchaseFacts) -> Collection[date]:
        return purchase_days.of_third_parties(purchase)

    def compute(self, form_input: FormInput) -> Computation:
        year = form_input.period.span
        limits = third_party_limits(year.last)
        listed = list(_above(list(operations(form_input.ledger, year, spanish(form_input.profile))), limits))
        lines = _lines(listed, form_input.period.year, limits)
        records = [_record(line, parts, form_input.period.year) for line, parts in sorted(lines.items())]
        return Sheet(boxes=BOXES, formulas={}).compute(
            form_input,
            (
                Contribution(box=AMOUNT, document_id=part.document_id, amount=part.amount)
                for parts in lines.values()
                for part in parts
            ),
            lambda boxes: self.outcome(boxes, form_input.period),
            amounts={RECORDS: Decimal(len(records))},
            warnings=[*omissions(form_input.ledger, year), *_doubts(records)],
            records=records,
        )


def _above(listed: Sequence[Operation], limits: ThirdPartyLimits) -> Iterator[Operation]:
    """Yield the operations of parties above the limits, sales and purchases apart; of cash alone, the cash."""
    amounts: defaultdict[tuple[str, str], Decimal] = defaultdict(lambda: ZERO)
    cash = _cash(listed)
    for operation in listed:
        amounts[operation.party_key, operation.key] += operation.amount
    for operation in listed:
        above = abs(amounts[operation.party_key, operation.key]) > limits.operations
        if above or (operation.cash and cash[operation.party_key] > limits.cash):
            yield operation


def _lines(listed: Sequence[Operation], year: int, limits: ThirdPartyLimits) -> dict[_Line, list[Operation]]:
    """Return the parts of each record. Cash that is not above its limit is left out; of other years it is apart."""
    cash = _cash(listed)
    lines: defaultdict[_Line, list[Operation]] = defaultdict(list)
    for operation in listed:
        if operation.cash and cash[operation.party_key] <= limits.cash:
            continue
        cash_year = operation.day.year if operation.cash and operation.day.year != year else year
        lines[_Line(operation.party_key, operation.key, operation.marks, cash_year)].append(operation)
    return dict(lines)


def _cash(listed: Sequence[Operation]) -> Mapping[str, Decimal]:
    received: defaultdict[str, Decimal] = defaultdict(lambda: ZERO)
    for operation in listed:
        received[operation.party_key] += operation.cash
    return received


def _record(line: _Line, parts: Sequence[Operation], year: int) -> DeclaredRecord:
    party = max(parts, key=lambda operation: (operation.day, operation.document_id)).party
    cash = sum((operation.cash for operation in parts), ZERO)
    fields: dict[str, JsonValue] = {
        "record": "declared",
        **_party(party),
        "operationKey": line.key,
        "amount": euros(sum((operation.amount for operation in parts), ZERO)),
        "businessLease": line.marks.business_lease,
        "reverseCharge": line.marks.reverse_charge,
        "cashAccounting": line.marks.cash_accounting,
        "cashAccountingAmount": euros(sum((operation.accrued for operation in parts), ZERO)),
        "cashAmount": euros(cash),
        "cashYear": str(line.cash_year) if cash else None,
        **_quarters(line.marks, parts, year),
    }
    return declared(fields, (operation.document_id for operation in parts))


def _party(party: Party) -> dict[str, JsonValue]:
    abroad = party.country != "ES"
    number = tax_ids.vat_number(party.tax_id, party.country) if party.tax_id and abroad else None
    return {**party_fields(party), "country": party.country if abroad else None, "euVatNumber": number}


def _quarters(marks: Marks, parts: Sequence[Operation], year: int) -> dict[str, JsonValue]:
    """Return the amounts by quarter; none under cash accounting, which is declared for the year (art. 33.1)."""
    spans = [TaxPeriod(year, code).span for code in QUARTERS]
    counted = () if marks.cash_accounting else parts
    return {
        f"q{number}Amount": euros(sum((operation.amount for operation in counted if operation.day in span), ZERO))
        for number, span in enumerate(spans, start=1)
    }


def _doubts(records: Sequence[DeclaredRecord]) -> list[DeclarationWarning]:
    leases = (
        key
        for record in records
        if record.fields["businessLease"] and record.fields["operationKey"] == SALES
        for key in record.document_ids
    )
    return [*warnings_where((ListFormMsg.LEASED_PROPERTY, leases)), *about_parties(records)]
