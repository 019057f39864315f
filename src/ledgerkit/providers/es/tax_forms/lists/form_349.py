"""Form 349: recapitulative statement of operations with other member states.

Sources: RD 1624/1992 (RIVA), arts. 78 to 81; Orden EHA/769/2010, as amended by Orden HAC/174/2020. What no document
says (M, H and the call-off stock R, D, C) is not declared.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType

from pydantic import JsonValue

from ledgerkit.money import ZERO
from ledgerkit.providers.api import (
    Assessment,
    Box,
    Computation,
    DateSpan,
    DeclaredRecord,
    FormInput,
    Party,
    PreviousDeclaration,
    TaxPeriod,
    TaxProfile,
)
from ledgerkit.providers.es.tax_forms.income.warnings import omissions, warnings_where
from ledgerkit.providers.es.tax_forms.layouts import official_period
from ledgerkit.providers.es.tax_forms.lists.declared import declared, euros
from ledgerkit.providers.es.tax_forms.lists.eu_operations import EuOperation, eu_operations, vat_number
from ledgerkit.providers.es.tax_forms.lists.messages import ListFormMsg
from ledgerkit.providers.es.tax_forms.lists.rectifications import Corrected, History
from ledgerkit.providers.es.tax_forms.official_form import MONTHS, QUARTERS, OfficialForm, files_by, profile_in
from ledgerkit.providers.es.tax_forms.sheet import Contribution, Sheet

OPERATORS, BASES, RECTIFIED, RECTIFIED_BASES = "01", "02", "03", "04"

BOXES: Mapping[str, Box] = MappingProxyType(
    {
        OPERATORS: Box(key=OPERATORS, name={"es": "Operadores intracomunitarios", "en": "Operators"}, decimals=0),
        BASES: Box(
            key=BASES,
            name={"es": "Importe de las operaciones intracomunitarias", "en": "Amount of the operations"},
            summed=True,
        ),
        RECTIFIED: Box(
            key=RECTIFIED, name={"es": "Operadores con rectificaciones", "en": "Rectified operators"}, decimals=0
        ),
        RECTIFIED_BASES: Box(
            key=RECTIFIED_BASES, name={"es": "Importe de las rectificaciones", "en": "Amount of the rectifications"}
        ),
    }
)


@dataclass(frozen=True, kw_only=True)
class _Operations:
    """Operations of a period: its own by operator and key, and corrections of earlier periods."""

    own: Mapping[tuple[str, str], Sequence[EuOperation]]
    corrections: Mapping[Corrected, Sequence[EuOperation]]


class Form349(OfficialForm):
    """Quarterly or monthly list of operators in other member states, with rectifications of earlier periods."""

    code = "349"
    name = MappingProxyType(
        {"es": "Operaciones intracomunitarias", "en": "Recapitulative statement of operations in the EU"}
    )
    reads = ("349",)
    first_year = 2020
    period_codes = (*QUARTERS, *MONTHS)
    official_boxes = BOXES

    def is_due(self, profile: TaxProfile, period: TaxPeriod) -> bool:
        """Due by the length of its periods alone: no profile says that somebody trades within the EU."""
        return files_by(profile_in(profile, period), period)

    def ledger_span(self, period: TaxPeriod) -> DateSpan:
        """From the same period of the year before: corrections need what was declared, where nothing is stored."""
        return DateSpan(first=TaxPeriod(period.year - 1, period.code).span.first, last=period.span.last)

    def compute(self, given: FormInput) -> Computation:
        everything = list(eu_operations(given.ledger))
        current = _sorted_out([one for one in everything if one.day in given.period.span], given.period)
        history = History(
            declarations=[one for one in given.previous if one.form == self.code and _as_long(one, given.period)],
            operations=everything,
            first_period=TaxPeriod(given.period.year - 1, given.period.code),
            current=given.period,
        )
        known = {corrected: history.declared_before(corrected) for corrected in current.corrections}
        records = [*_operators(current), *_rectifications(current, known)]
        return Sheet(boxes=BOXES, formulas={}).compute(
            given,
            (
                Contribution(box=BASES, document_id=one.document_id, amount=one.base)
                for parts in current.own.values()
                for one in parts
            ),
            lambda boxes: self.outcome(boxes, given.period),
            amounts=_totals(records),
            warnings=[*omissions(given.ledger, given.period.span), *warnings_where(*_doubts(given, current, known))],
            records=records,
        )


def _as_long(previous: PreviousDeclaration, period: TaxPeriod) -> bool:
    return (previous.period.code in MONTHS) is (period.code in MONTHS)


def _sorted_out(operations: Iterable[EuOperation], period: TaxPeriod) -> _Operations:
    own: defaultdict[tuple[str, str], list[EuOperation]] = defaultdict(list)
    corrections: defaultdict[Corrected, list[EuOperation]] = defaultdict(list)
    for one in operations:
        corrected = one.corrected_period(period.code)
        if corrected is not None and corrected < period:
            corrections[Corrected(one.operator, one.key, corrected)].append(one)
        else:
            own[one.operator, one.key].append(one)
    return _Operations(own=dict(own), corrections=dict(corrections))


def _operators(current: _Operations) -> Iterator[DeclaredRecord]:
    """Yield a record for each operator and key, unless its operations come to nothing."""
    for (_, key), parts in sorted(current.own.items()):
        if base := _sum(parts):
            fields: dict[str, JsonValue] = {"record": "operator", **_party(parts, key), "base": euros(base)}
            yield declared(fields, (one.document_id for one in parts))


def _rectifications(current: _Operations, known: Mapping[Corrected, Decimal | None]) -> Iterator[DeclaredRecord]:
    """Yield a record for each correction of something that is known to have been declared."""
    for corrected, parts in sorted(current.corrections.items()):
        before = known[corrected]
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
        yield declared(fields, (one.document_id for one in parts))


def _party(parts: Sequence[EuOperation], key: str) -> dict[str, JsonValue]:
    party: Party = max(parts, key=lambda one: (one.day, one.document_id)).party
    return {"partyVatNumber": vat_number(party), "partyName": party.name, "operationKey": key}


def _totals(records: Sequence[DeclaredRecord]) -> dict[str, Decimal]:
    rectified = [one.fields for one in records if one.fields["record"] == "rectification"]
    return {
        OPERATORS: Decimal(len(records) - len(rectified)),
        RECTIFIED: Decimal(len(rectified)),
        RECTIFIED_BASES: sum((Decimal(str(one["correctedBase"])) for one in rectified), ZERO),
    }


def _doubts(
    given: FormInput, current: _Operations, known: Mapping[Corrected, Decimal | None]
) -> Iterator[tuple[ListFormMsg, list[str]]]:
    groups = [*current.own.values(), *current.corrections.values()]
    parts = [one for group in groups for one in group]
    yield ListFormMsg.VAT_NUMBER_UNKNOWN, [one.document_id for one in parts if vat_number(one.party) is None]
    yield (
        ListFormMsg.CORRECTED_UNKNOWN,
        [
            one.document_id
            for corrected, several in current.corrections.items()
            if known[corrected] is None
            for one in several
        ],
    )
    below = [group for group in current.own.values() if _sum(group) < ZERO]
    yield ListFormMsg.BASE_BELOW_ZERO, [one.document_id for group in below for one in group]
    yield ListFormMsg.UNREFERENCED_CREDIT, [one.document_id for one in parts if one.is_credit and not one.corrects]
    yield ListFormMsg.SEVERAL_CORRECTED, [one.document_id for one in parts if len(one.corrects) > 1]
    yield (
        ListFormMsg.TRIANGULAR_PURCHASE,
        [
            one.document_id
            for one in given.ledger.purchases
            if one.triangular and one.assessment is Assessment.INTRA_EU_GOODS and one.issue_date in given.period.span
        ],
    )


def _sum(parts: Iterable[EuOperation]) -> Decimal:
    return sum((one.base for one in parts), ZERO)
