"""Category of an expense, learned from the expenses of an account; arithmetic only, no database.

Each word, and the vendor as a whole, votes for the categories of earlier expenses with it: P(category | word),
smoothed towards the frequency of the categories (Dirichlet smoothing). The logarithms of the votes are added, as in
naive Bayes, and divided by a power of their number: the words of an expense depend on each other, so the plain product
would state far too high a confidence. A country's words count as a few expenses, so the account's own soon outweigh
them. The constants were chosen on the generated years of tests/support/spending.py; `make eval-categories`
prints how often guesses of each confidence are right.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ledgerkit.core.platform.records import search
from ledgerkit.core.purchases.reading.words.comparison import meaningful_words

UNKNOWN = "other"
"""Category of an expense for which nobody chose one."""

_PRIOR = 0.5
"""Number of expenses that every category begins with, before any is counted."""

_PRIOR_OF_UNKNOWN = 1.5
_WEIGHT_OF_UNKNOWN = 0.3
"""Vote of an expense in `other`: perhaps nobody has chosen its category."""

_WEIGHT_OF_HINT = 4.0
_WORD_SMOOTHING = 1.5
_VENDOR_SMOOTHING = 1.0
_TEMPER = 0.7
"""Exponent of the number of words by which their pooled votes are divided: 0 is naive Bayes, 1 their mean."""

_VENDOR_POWER = 0.5
_MISTAKES = 0.02
"""Share of expenses whose owner chose another category than for similar ones: the confidence is never higher."""


@dataclass(frozen=True)
class CategorisedExpense:
    """Description, vendor and category of one expense of the past."""

    description: str
    vendor: str | None
    category: str


@dataclass(frozen=True)
class CategoryGuess:
    """Most probable category, and the share of such guesses that are right: 0 to 1."""

    category: str
    confidence: float


Votes = Mapping[str, float]


class Classifier:
    """Classifier of one account. `hints` are words by category; `expenses` the account's own, at most some thousand.

    Building costs some milliseconds for a thousand expenses, so nothing is stored that could grow old.
    """

    def __init__(
        self,
        categories: Sequence[str],
        expenses: Sequence[CategorisedExpense],
        hints: Sequence[Mapping[str, Sequence[str]]] = (),
    ) -> None:
        self._words: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        self._vendors: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        self._prior: dict[str, float] = dict.fromkeys(categories, _PRIOR) | {UNKNOWN: _PRIOR_OF_UNKNOWN}
        for words_by_category in hints:
            self._add_hints(words_by_category)
        for expense in expenses:
            self._add(expense)
        total = sum(self._prior.values())
        self._prior = {category: count / total for category, count in self._prior.items()}

    def guess(self, description: str, vendor: str | None) -> CategoryGuess:
        """Return the most probable category; without any known word that is the most frequent one, or `other`."""
        votes = self._pooled(meaningful_words(description, vendor), search.fold(vendor))
        highest = max(votes.values())
        weights = {category: math.exp(vote - highest) for category, vote in votes.items()}
        category = max(weights, key=lambda name: (weights[name], name == UNKNOWN, name))
        share = weights[category] / sum(weights.values())
        return CategoryGuess(category, share * (1 - _MISTAKES))

    def _pooled(self, words: Sequence[str], vendor: str) -> dict[str, float]:
        """Return the logarithm of each category's probability, up to a constant."""
        word_counts = [self._words[word] for word in words if word in self._words]
        power = len(word_counts) ** -_TEMPER if word_counts else 0.0
        votes = {category: math.log(share) for category, share in self._prior.items()}
        for counts in word_counts:
            self._vote(votes, counts, _WORD_SMOOTHING, power)
        if vendor in self._vendors:
            self._vote(votes, self._vendors[vendor], _VENDOR_SMOOTHING, _VENDOR_POWER)
        return votes

    def _vote(self, votes: dict[str, float], counts: Votes, smoothing: float, power: float) -> None:
        """Add what one word or vendor says: the logarithm of P(category | word) / P(category), times `power`."""
        total = sum(counts.values()) + smoothing
        for category, share in self._prior.items():
            probability = (counts.get(category, 0.0) + smoothing * share) / total
            votes[category] += power * math.log(probability / share)

    def _add(self, expense: CategorisedExpense) -> None:
        weight = _WEIGHT_OF_UNKNOWN if expense.category == UNKNOWN else 1.0
        self._prior[expense.category] = self._prior.get(expense.category, _PRIOR) + weight
        for word in meaningful_words(expense.description, expense.vendor):
            self._words[word][expense.category] += weight
        if vendor := search.fold(expense.vendor):
            self._vendors[vendor][expense.category] += weight

    def _add_hints(self, words_by_category: Mapping[str, Sequence[str]]) -> None:
        """Count each hint like expenses of its category; one of several words is as much as one, shared among them."""
        for category, hints in words_by_category.items():
            for hint in hints:
                words = meaningful_words(hint)
                for word in words:
                    self._words[word][category] += _WEIGHT_OF_HINT / len(words)
