"""Sheet of a form: boxes that add up documents, formulas of the others, and overrides before what follows from them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

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
from ledgerkit.providers.es.tax_forms.box_sums import BoxSums
from ledgerkit.providers.es.tax_forms.evaluation import Formula, Values, evaluate, refuse_unknown
from ledgerkit.texts import Text

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
