"""Reliability of guesses: how often those of one confidence are right."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from ledgerkit.core.purchases.expenses.api import CATEGORIES
from ledgerkit.core.purchases.reading.categories.classifier import CategorisedExpense, Classifier
from ledgerkit.core.purchases.reading.categories.proposals import INTERNATIONAL_WORDS
from ledgerkit.providers.es.purchase_words import PURCHASE_WORDS
from support.spending import year

HINTS = (INTERNATIONAL_WORDS, PURCHASE_WORDS.categories)


@dataclass(frozen=True)
class Judged:
    confidence: float
    right: bool


@dataclass(frozen=True)
class Band:
    """Guesses whose confidence lies in one tenth: how many, their mean confidence, and the share of right ones."""

    low: float
    count: int
    confidence: float
    right: float


def judged(first_month: int, *, hints=HINTS, years: int = 4) -> list[Judged]:
    """Learn from the generated years before a month, and judge the guesses for the expenses from then on."""
    return [one for seed in range(years) for one in _judged(seed, date(2025, first_month, 1), hints)]


def _judged(seed: int, since: date, hints) -> Iterator[Judged]:
    expenses = year(seed)
    learned = [CategorisedExpense(one.description, one.vendor, one.category) for one in expenses if one.day < since]
    classifier = Classifier(CATEGORIES, learned, hints)
    for one in expenses:
        if one.day >= since:
            guess = classifier.guess(one.description, one.vendor)
            yield Judged(guess.confidence, guess.category == one.category)


def bands(guesses: Sequence[Judged]) -> list[Band]:
    """Return the reliability by tenths of confidence, without empty ones."""
    table = []
    for tenth in range(10):
        inside = [one for one in guesses if min(9, int(one.confidence * 10)) == tenth]
        if inside:
            count = len(inside)
            mean = sum(one.confidence for one in inside) / count
            table.append(Band(tenth / 10, count, mean, accuracy(inside)))
    return table


def accuracy(guesses: Sequence[Judged]) -> float:
    return sum(one.right for one in guesses) / len(guesses)


def calibration_error(guesses: Sequence[Judged]) -> float:
    """Return the mean distance between confidence and share of right ones, weighted by the bands' counts."""
    return sum(band.count * abs(band.confidence - band.right) for band in bands(guesses)) / len(guesses)


def report() -> str:
    """Return the table of docs/expenses.md."""
    lines = []
    for title, month in (("No expenses yet", 1), ("After three months", 4), ("After nine months", 10)):
        guesses = judged(month)
        lines += ["", f"{title}: {100 * accuracy(guesses):.0f} % of {len(guesses)} right", ""]
        lines += ["| confidence | guesses | mean confidence | right |", "|---|---|---|---|"]
        lines += [
            f"| {band.low:.1f} to {band.low + 0.1:.1f} | {band.count} | {band.confidence:.2f} | {band.right:.2f} |"
            for band in bands(guesses)
        ]
    return "\n".join(lines).strip()


if __name__ == "__main__":
    sys.stdout.write(report() + "\n")
