"""Form 349: recapitulative statement of operations with other member states.

Sources: RD 1624/1992 (RIVA), arts. 78 to 81; Orden EHA/769/2010, as amended by Orden HAC/174/2020. Keys that no
document states (M, H and the call-off stock R, D, C) are not declared.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from pydantic import JsonValue

from ledgerkit.money import ZERO
from ledgerkit.providers.api import (
    Assessment,
    BooksOutline,
    Box,
    Computation,
    DateSpan,
    DeclarationWarning,
    DeclaredRecord,
    FormInput,
    Party,
    PreviousDeclaration,
    PurchaseFacts,
    TaxPeriod,
)
from ledgerkit.providers.es.tax_forms import purchase_days
from ledgerkit.providers.es.tax_forms.form_texts import BoxTexts, by_key, filed_only_if, form_name
from ledgerkit.providers.es.tax_forms.income.warnings import omissions, warnings_where
from ledgerkit.providers.es.tax_forms.layouts import official_period
from ledgerkit.providers.es.tax_forms.lists.declared import declared, euros
from ledgerkit.providers.es.tax_forms.lists.eu_operations import (
    SOLD,
    EuOperation,
    eu_operations,
    period_of,
    trades_in_eu,
    vat_number,
)
from ledgerkit.providers.es.tax_forms.lists.record_fields import FIELDS_349
from ledgerkit.providers.es.tax_forms.lists.rectifications import Corrected, History
from ledgerkit.providers.es.tax_forms.messages import ListFormMsg
from ledgerkit.providers.es.tax_forms.official_form import MONTHS, QUARTERS, OfficialForm
from ledgerkit.providers.es.tax_forms.sheet import Contribution, Sheet
from ledgerkit.providers.es.tax_forms.vat.cautions import warning

_QUARTERLY_UP_TO = Decimal(50_000)

OPERATORS, BASES, RECTIFIED, RECTIFIED_BASES = "01", "02", "03", "04"

_FORM = BoxTexts("349")
BOXES: Mapping[str, Box] = by_key(
    (_FORM.box(OPERATORS, decimals=0), *_FORM.listed("02s"), _FORM.box(RECTIFIED, decimals=0), *_FORM.listed("04"))
)


@dataclass(frozen=True, kw_only=True)
class _Operations:
    """Operations of a period: its own by operator and key, and corrections of earlier periods."""

    own: Mapping[tuple[str, str], Sequence[EuOperation]]
    corrections: Mapping[Corrected, Sequence[EuOperation]]


class Form349(OfficialForm):
    """Quarterly or monthly list of operators in other member states, with rectifications of earlier periods."""

    code = "349"
    needs_records = True
    record_fields = FIELDS_349
    name = form_name("349")
    reads = ("349",)
    only_if = filed_only_if("349")
    period_codes = (*QUARTERS, *MONTHS)
    official_boxes = BOXES

    def is_indicated(self, period: TaxPeriod, outline: BooksOutline) -> bool:
        return trades_in_eu(period, outline)

    def purchase_days(self, purchase: PurchaseFacts) -> Collection[date]:
        return purchase_days.of_acquisitions(purchase)

    def ledger_span(self, period: TaxPeriod) -> DateSpan:
        """From the same period of the year before: corrections need what was declared, where nothing is stored."""
        return DateSpan(first=TaxPeriod(period.year - 1, period.code).span.first, last=period.span.last)

    def compute(self, form_input: FormInput) -> Computation:
        everything = list(eu_operations(form_input.ledger))
        current = _sorted_out(
            [operation for operation in everything if operation.day in form_input.period.span], form_input.period
        )
        history = History(
            declarations=[
                declaration
                for declaration in form_input.previous
                if declaration.form == self.code and _as_long(declaration, form_input.period)
            ],
            operations=everything,
            first_period=TaxPeriod(form_input.period.year - 1, form_input.period.code),
            current=form_input.period,
        )
        declared_before = {corrected: history.declared_before(corrected) for corrected in current.corrections}
        records = [*_operators(current), *_rectifications(current, declared_before)]
        return Sheet(boxes=BOXES, formulas={}).compute(
            form_input,
            (
                Contribution(box=BASES, document_id=part.document_id, amount=part.base)
                for parts in current.own.values()
                for part in parts
            ),
            lambda boxes: self.outcome(boxes, form_input.period),
            amounts=_totals(records),
            warnings=[
                *omissions(form_input.ledger, form_input.period.span),
                *warnings_where(*_doubts(form_input, current, declared_before)),
                *_length(form_input.period, everything),
            ],
            records=records,
        )


def _length(period: TaxPeriod, operations: Iterable[EuOperation]) -> Iterator[DeclarationWarning]:
    """Yield a warning of a quarter that is declared by months: over 50,000 was sold in it, or in one of four before.

    Source: RD 1624/1992 (RIVA), art. 81.1, as read in the foral treasury of Bizkaia's questions on form 349.
    """
    if period.code not in QUARTERS:
        return
    sold: defaultdict[TaxPeriod, Decimal] = defaultdict(lambda: ZERO)
    for operation in operations:
        if operation.key in SOLD:
            sold[period_of(operation.day, period.code)] += operation.base
    above = [quarter for quarter, base in sorted(sold.items()) if quarter <= period and base > _QUARTERLY_UP_TO]
    if above:
        listed = ", ".join(f"{official_period(quarter)} {quarter.year}" for quarter in above)
        yield warning(ListFormMsg.MONTHLY_PERIODS, listed=listed)


def _as_long(previous: PreviousDeclaration, period: TaxPeriod) -> bool:
    return (previous.period.code in MONTHS) is (period.code in MONTHS)


def _sorted_out(operations: Iterable[EuOperation], period: TaxPeriod) -> _Operations:
    of_period: defaultdict[tuple[str, str], list[EuOperation]] = defaultdict(list)
    corrections: defaultdict[Corrected, list[EuOperation]] = defaultdict(list)
    for operation in operations:
        corrected = operation.corrected_period(period.code)
        if corrected is not None and corrected < period:
            corrections[Corrected(operation.operator, operation.key, corrected)].append(operation)
        else:
            of_period[operation.operator, operation.key].append(operation)
    return _Operations(own=dict(of_period), corrections=dict(corrections))


def _operators(current: _Operations) -> Iterator[DeclaredRecord]:
    """Yield a record for each operator and key, unless the sum of its operations is zero."""
    for (_, key), parts in sorted(current.own.items()):
        if base := _sum(parts):
            fields: dict[str, JsonValue] = {"record": "operator", **_party(parts, key), "base": euros(base)}
            yield declared(fields, (part.document_id for part in parts))


def _rectifications(
    current: _Operations, declared_before: Mapping[Corrected, Decimal | None]
) -> Iterator[DeclaredRecord]:
    """Yield a record for each correction of something that is known to have been declared."""
    for corrected, parts in sorted(current.corrections.items()):
        before = declared_before[corrected]
        if before is None or not _sum(parts):
            continue
        fields: dict[str, JsonValue] = {
            "record": "rectification",
            **_party(parts, corrected.key),
            "correctedYear": str(corrected.period.year),
            "correctedPeriod": official_period(corrected.period),
            "correctedBase": euros(before + _sum(parts)),
            "declaredBase": euros(before),
        }
        yield declared(fields, (part.document_id for part in parts))


def _party(parts: Sequence[EuOperation], key: str) -> dict[str, JsonValue]:
    party: Party = max(parts, key=lambda operation: (operation.day, operation.document_id)).party
    return {"partyVatNumber": vat_number(party), "partyName": party.name, "operationKey": key}


def _totals(records: Sequence[DeclaredRecord]) -> dict[str, Decimal]:
    rectified = [record.fields for record in records if record.fields["record"] == "rectification"]
    return {
        OPERATORS: Decimal(len(records) - len(rectified)),
        RECTIFIED: Decimal(len(rectified)),
        RECTIFIED_BASES: sum((Decimal(str(rectification["correctedBase"])) for rectification in rectified), ZERO),
    }


def _doubts(
    form_input: FormInput, current: _Operations, declared_before: Mapping[Corrected, Decimal | None]
) -> Iterator[tuple[ListFormMsg, list[str]]]:
    groups = [*current.own.values(), *current.corrections.values()]
    parts = [operation for group in groups for operation in group]
    yield ListFormMsg.VAT_NUMBER_UNKNOWN, [part.document_id for part in parts if vat_number(part.party) is None]
    yield (
        ListFormMsg.CORRECTED_UNKNOWN,
        [
            record.document_id
            for corrected, several in current.corrections.items()
            if declared_before[corrected] is None
            for record in several
        ],
    )
    below = [group for group in current.own.values() if _sum(group) < ZERO]
    yield ListFormMsg.BASE_BELOW_ZERO, [operation.document_id for group in below for operation in group]
    yield ListFormMsg.UNREFERENCED_CREDIT, [part.document_id for part in parts if part.is_credit and not part.corrects]
    yield ListFormMsg.SEVERAL_CORRECTED, [part.document_id for part in parts if len(part.corrects) > 1]
    yield (
        ListFormMsg.TRIANGULAR_PURCHASE,
        [
            purchase.document_id
            for purchase in form_input.ledger.purchases
            if purchase.triangular
            and purchase.assessment is Assessment.INTRA_EU_GOODS
            and purchase.issue_date in form_input.period.span
        ],
    )


def _sum(parts: Iterable[EuOperation]) -> Decimal:
    return sum((part.base for part in parts), ZERO)
