"""Sheet of a form: boxes that add up documents, formulas of the others, and overrides before what follows from them."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from ledgerkit.money import ZERO, round_cents
from ledgerkit.providers.api import (
    Box,
    Computation,
    DeclarationWarning,
    DeclaredRecord,
    Evidence,
    FormInput,
    ResultKind,
)
from ledgerkit.providers.es.tax_forms.records import Amounts
from ledgerkit.texts import Text

Values = Mapping[str, Decimal]


@dataclass(frozen=True, kw_only=True, slots=True)
class Formula:
    """Box that follows from boxes before it."""

    key: str
    amount: Callable[[Values], Decimal]


def evaluate(
    boxes: Mapping[str, Box], start: Values, formulas: Sequence[Formula], overrides: Values
) -> dict[str, Decimal]:
    """Return every box, rounded half up. An override stands for its box in all formulas that read it.

    Boxes of `start` that the form does not have are left out, so that older designs need no formulas of their own.
    """
    values = {key: _rounded(overrides.get(key, start.get(key, ZERO)), box) for key, box in boxes.items()}
    for formula in formulas:
        if formula.key in boxes and formula.key not in overrides:
            values[formula.key] = _rounded(formula.amount(values), boxes[formula.key])
    return values


def refuse_unknown(overrides: Values, boxes: Mapping[str, Box]) -> None:
    """Raise ValueError for an override of a box that the form does not have."""
    unknown = sorted(overrides.keys() - boxes.keys())
    if unknown:
        raise ValueError(", ".join(unknown))


def total(values: Values, *keys: str) -> Decimal:
    """Return the sum of boxes; one that the design does not have is zero."""
    return sum((values.get(key, ZERO) for key in keys), ZERO)


def sum_of(key: str, plus: Sequence[str], minus: Sequence[str] = ()) -> Formula:
    """Return the formula of a box that adds up some boxes and subtracts others."""
    return Formula(key=key, amount=lambda values: total(values, *plus) - total(values, *minus))


def _rounded(value: Decimal, box: Box) -> Decimal:
    step = Decimal(1).scaleb(-box.decimals)
    return value.quantize(step, ROUND_HALF_UP) or step - step


_CENTS = -2
"""Exponent of an amount with two decimals."""


class BoxSums:
    """Sums by box and document. A box is rounded once; the parts of its evidence add up to it exactly."""

    def __init__(self) -> None:
        self._parts: defaultdict[str, defaultdict[str, Decimal]] = defaultdict(lambda: defaultdict(lambda: ZERO))

    def add(self, box: str, document_id: str, amount: Decimal) -> None:
        self._parts[box][document_id] += amount

    def add_pair(self, boxes: tuple[str, str], document_id: str, amounts: Amounts) -> None:
        """Add base and quota to the boxes of a pair."""
        base, quota = boxes
        self._parts[base][document_id] += amounts.base
        self._parts[quota][document_id] += amounts.quota

    def add_all(self, other: "BoxSums") -> None:
        for box, parts in other._parts.items():  # noqa: SLF001 - the same class
            for document_id, amount in parts.items():
                self.add(box, document_id, amount)

    def totals(self) -> Mapping[str, Decimal]:
        return {box: round_cents(sum(parts.values(), ZERO)) for box, parts in self._parts.items()}

    def evidence(self) -> Mapping[str, tuple[Evidence, ...]]:
        return {box: _cents(parts) for box, parts in self._parts.items()}


def _cents(parts: Mapping[str, Decimal]) -> tuple[Evidence, ...]:
    """Return the parts in cents that are not zero, by id: each takes the growth of the rounded sum so far."""
    if _in_whole_cents(parts.values()):
        return tuple([Evidence(document_id=name, amount=parts[name]) for name in sorted(parts) if parts[name]])
    evidence: list[Evidence] = []
    exact = before = ZERO
    for document_id in sorted(parts):
        exact += parts[document_id]
        after = round_cents(exact)
        if after != before:
            evidence.append(Evidence(document_id=document_id, amount=after - before))
        before = after
    return tuple(evidence)


def _in_whole_cents(amounts: Iterable[Decimal]) -> bool:
    """Return True if no amount has more than two decimals: a sum has as many as the term that has most."""
    exponent = sum(amounts, ZERO).as_tuple().exponent
    return isinstance(exponent, int) and exponent >= _CENTS


_NOTHING = Decimal("0.00")

BoxFormula = Callable[[Values], Decimal]


@dataclass(frozen=True, kw_only=True, slots=True)
class Contribution:
    """Part of a box that one document makes."""

    box: str
    document_id: str
    amount: Decimal


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """Result of a form and the letters of declaration that it allows, the usual one first."""

    result: Decimal = ZERO
    kind: ResultKind = ResultKind.NONE
    types: Mapping[str, Text]


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """Boxes of a form in the order in which they follow from each other, and the formulas of those that do."""

    boxes: Mapping[str, Box]
    formulas: Mapping[str, BoxFormula]

    def solve(self, amounts: Values, overrides: Values) -> dict[str, Decimal]:
        """Return every box, rounded half up to its decimals. A box without amount, formula and override is zero."""
        in_order = [Formula(key=key, amount=self.formulas[key]) for key in self.boxes if key in self.formulas]
        return evaluate(self.boxes, amounts, in_order, overrides)

    def compute(
        self,
        form_input: FormInput,
        contributions: Iterable[Contribution],
        outcome: Callable[[Values], Outcome],
        *,
        amounts: Values | None = None,
        warnings: Sequence[DeclarationWarning] = (),
        records: Sequence[DeclaredRecord] = (),
    ) -> Computation:
        """Return the computation of a form; `amounts` are boxes that neither documents nor formulas make.

        Raises ValueError for an override of a box that the form does not have.
        """
        refuse_unknown(form_input.overrides, self.boxes)
        added_up = _added_up(contributions)
        evidence = added_up.evidence()
        all_amounts = {**added_up.totals(), **(amounts or {})}
        effective = self.solve(all_amounts, form_input.overrides)
        reached = outcome(effective)
        return Computation(
            computed=self.solve(all_amounts, {}),
            effective=effective,
            evidence=evidence,
            output_tax=_NOTHING,
            input_tax=_NOTHING,
            result=round_cents(reached.result),
            result_kind=reached.kind,
            declaration_types=reached.types,
            warnings=tuple(warnings),
            counted=_counted(evidence, records),
            records=tuple(records),
        )


def sums(contributions: Iterable[Contribution]) -> Values:
    """Return the sum of each box that documents make."""
    return _added_up(contributions).totals()


def without_negative_boxes(contributions: Sequence[Contribution]) -> tuple[list[Contribution], list[str]]:
    """Return the contributions to boxes that do not come to less than zero, and the documents of those that do."""
    negative = {box for box, amount in sums(contributions).items() if amount < ZERO}
    left_out = [part.document_id for part in contributions if part.box in negative]
    return [part for part in contributions if part.box not in negative], left_out


def _added_up(contributions: Iterable[Contribution]) -> BoxSums:
    box_sums = BoxSums()
    for part in contributions:
        box_sums.add(part.box, part.document_id, part.amount)
    return box_sums


def _counted(evidence: Mapping[str, tuple[Evidence, ...]], records: Sequence[DeclaredRecord]) -> frozenset[str]:
    in_boxes = {part.document_id for parts in evidence.values() for part in parts}
    return frozenset(in_boxes.union(*(record.document_ids for record in records)))
