"""Sheet of a form: boxes that add up documents, formulas of the others, and overrides before what follows from them."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from ledgerkit.money import ZERO
from ledgerkit.providers.api import (
    Box,
    Computation,
    DeclarationWarning,
    DeclaredRecord,
    Evidence,
    FormInput,
    ResultKind,
)
from ledgerkit.texts import Text

Amounts = Mapping[str, Decimal]
Formula = Callable[[Amounts], Decimal]


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
    formulas: Mapping[str, Formula]

    def solve(self, amounts: Amounts, overrides: Amounts) -> dict[str, Decimal]:
        """Return every box, rounded half up to its decimals. A box without amount, formula and override is zero."""
        solved: dict[str, Decimal] = {}
        for key, box in self.boxes.items():
            if key in overrides:
                value = overrides[key]
            elif key in self.formulas:
                value = self.formulas[key](solved)
            else:
                value = amounts.get(key, ZERO)
            solved[key] = _rounded(value, box.decimals)
        return solved

    def compute(
        self,
        given: FormInput,
        contributions: Iterable[Contribution],
        outcome: Callable[[Amounts], Outcome],
        *,
        amounts: Amounts | None = None,
        warnings: Sequence[DeclarationWarning] = (),
        records: Sequence[DeclaredRecord] = (),
    ) -> Computation:
        """Return the computation of a form; `amounts` are boxes that neither documents nor formulas make.

        Raises ValueError for an override of a box that the form does not have.
        """
        if unknown := given.overrides.keys() - self.boxes.keys():
            raise ValueError(f"no such box: {', '.join(sorted(unknown))}")
        parts = list(contributions)
        evidence = evidence_of(parts)
        all_amounts = {**sums(parts), **(amounts or {})}
        effective = self.solve(all_amounts, given.overrides)
        reached = outcome(effective)
        return Computation(
            computed=self.solve(all_amounts, {}),
            effective=effective,
            evidence=evidence,
            output_tax=_rounded(ZERO, 2),
            input_tax=_rounded(ZERO, 2),
            result=_rounded(reached.result, 2),
            result_kind=reached.kind,
            declaration_types=reached.types,
            warnings=tuple(warnings),
            counted=_counted(evidence, records),
            records=tuple(records),
        )


def evidence_of(contributions: Iterable[Contribution]) -> dict[str, tuple[Evidence, ...]]:
    """Return the documents of each box by id, each once, without those that come to nothing."""
    parts: defaultdict[str, defaultdict[str, Decimal]] = defaultdict(lambda: defaultdict(lambda: ZERO))
    for part in contributions:
        parts[part.box][part.document_id] += part.amount
    return {
        box: tuple(Evidence(document_id=key, amount=amount) for key, amount in sorted(by_document.items()) if amount)
        for box, by_document in sorted(parts.items())
    }


def sums(contributions: Iterable[Contribution]) -> dict[str, Decimal]:
    """Return the sum of each box that documents make."""
    totals: defaultdict[str, Decimal] = defaultdict(lambda: ZERO)
    for part in contributions:
        totals[part.box] += part.amount
    return dict(totals)


def without_negative_boxes(contributions: Sequence[Contribution]) -> tuple[list[Contribution], list[str]]:
    """Return the contributions to boxes that do not come to less than zero, and the documents of those that do."""
    negative = {box for box, amount in sums(contributions).items() if amount < ZERO}
    left_out = [part.document_id for part in contributions if part.box in negative]
    return [part for part in contributions if part.box not in negative], left_out


def _counted(evidence: Mapping[str, tuple[Evidence, ...]], records: Sequence[DeclaredRecord]) -> frozenset[str]:
    in_boxes = {one.document_id for parts in evidence.values() for one in parts}
    return frozenset(in_boxes.union(*(record.document_ids for record in records)))


def _rounded(value: Decimal, decimals: int) -> Decimal:
    rounded = value.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
    return rounded or abs(rounded)
