"""Cross-checks of a year: sums of declarations, or of the books, that have to agree. They block nothing."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from ledgerkit.money import ZERO
from ledgerkit.providers.api.ledger import Ledger
from ledgerkit.providers.api.tax_forms import PreviousDeclaration, TaxPeriod, TaxProfile
from ledgerkit.texts import Text


class CheckState(StrEnum):
    """State of a check. INCOMPLETE: a declaration that the sums need is missing. NOT_APPLICABLE: there is none."""

    EQUAL = "equal"
    DIFFERENT = "different"
    INCOMPLETE = "incomplete"
    NOT_APPLICABLE = "not_applicable"


@dataclass(frozen=True, kw_only=True)
class YearDeclaration:
    """Last declaration of a form and period, draft or submitted, by its id."""

    declaration_id: str
    declared: PreviousDeclaration


@dataclass(frozen=True, kw_only=True)
class CheckInput:
    """Declarations of a year, and its ledger; None where no declaration is compared with it."""

    year: int
    declarations: Sequence[YearDeclaration]
    profile: TaxProfile
    ledger: Ledger | None = None


@dataclass(frozen=True, kw_only=True)
class CheckTerm:
    """Part of a side: boxes of a declaration, or, where `form` is None, a sum of the books that `name` names.

    `boxes` are official numbers, or keys of a list's records. `amount` is None where `declaration` is missing or does
    not have it. `required`: the declaration is due even if there is nothing to declare.
    """

    period: TaxPeriod
    amount: Decimal | None
    form: str | None = None
    name: Text | None = None
    boxes: tuple[str, ...] = ()
    declaration: YearDeclaration | None = None
    required: bool = False


@dataclass(frozen=True, kw_only=True)
class CheckSide:
    name: Text
    terms: tuple[CheckTerm, ...]

    @property
    def amount(self) -> Decimal | None:
        """Sum of the terms that are known; None where none is."""
        amounts = [term.amount for term in self.terms if term.amount is not None]
        return sum(amounts, ZERO) if amounts else None


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Two sides that have to agree up to a tolerance."""

    left: CheckSide
    right: CheckSide
    tolerance: Decimal

    @property
    def difference(self) -> Decimal | None:
        """Left less right; None where one of them is not known."""
        left, right = self.left.amount, self.right.amount
        return None if left is None or right is None else left - right

    @property
    def unknown(self) -> tuple[CheckTerm, ...]:
        return tuple(term for term in (*self.left.terms, *self.right.terms) if term.amount is None)

    @property
    def state(self) -> CheckState:
        """State of the comparison. A declaration that is not `required` is only missed where the sums differ."""
        if any(term.required for term in self.unknown):
            return CheckState.INCOMPLETE
        if not self._is_applicable:
            return CheckState.NOT_APPLICABLE
        if abs((self.left.amount or ZERO) - (self.right.amount or ZERO)) <= self.tolerance:
            return CheckState.EQUAL
        return CheckState.INCOMPLETE if self.unknown else CheckState.DIFFERENT

    @property
    def _is_applicable(self) -> bool:
        """Return True where there is a declaration, and both sides have terms of which one at least is not empty."""
        sides = self.left, self.right
        compares = any(term.declaration is not None for side in sides for term in side.terms)
        tells = all(side.amount is not None for side in sides) or any(side.amount for side in sides)
        return compares and tells and all(side.terms for side in sides)


@dataclass(frozen=True, kw_only=True)
class CrossCheck:
    """Check of a year.

    `source` is the law or instruction by which both sides are equal; `remedy` is what to do otherwise.

    `forms` are the codes of the forms that it reads, `ledger_for` those of them that it compares with the ledger.
    `sides` is pure.
    """

    code: str
    title: Text
    source: str
    remedy: Text
    forms: tuple[str, ...]
    sides: Callable[[CheckInput], tuple[CheckSide, CheckSide]]
    tolerance: Decimal = ZERO
    ledger_for: tuple[str, ...] = ()

    def compare(self, year: CheckInput) -> Comparison:
        left, right = self.sides(year)
        return Comparison(left=left, right=right, tolerance=self.tolerance)
