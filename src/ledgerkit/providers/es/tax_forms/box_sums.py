"""Boxes that add up amounts of documents, with the documents behind each."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from decimal import Decimal

from ledgerkit.money import ZERO, round_cents
from ledgerkit.providers.api import Evidence
from ledgerkit.providers.es.tax_forms.records import Amounts

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
