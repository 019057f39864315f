"""Categories that the classifier proposes from the expenses of an account and the words of its country."""

from collections.abc import Sequence

from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.purchases.expenses import queries as expense_queries
from ledgerkit.core.purchases.expenses.api import CATEGORIES
from ledgerkit.core.purchases.reading.categories.classifier import CategorisedExpense, CategoryGuess, Classifier
from ledgerkit.core.purchases.reading.words.international import INTERNATIONAL_WORDS

MAX_CATEGORIES = 60
"""Most categories from which a model chooses: the suggested ones and the account's most frequent own ones."""


async def propose(ctx: Context, description: str, vendor: str | None) -> tuple[Sequence[str], CategoryGuess]:
    """Return the account's categories, and the classifier's proposal for an expense."""
    async with ctx.reading() as inner:
        rows = await expense_queries.categorised(inner)
    expenses = [CategorisedExpense(row.description, row.vendor, row.category) for row in rows]
    hints = [INTERNATIONAL_WORDS, *([ctx.country.purchase_words.categories] if ctx.country else [])]
    guess = Classifier(CATEGORIES, expenses, hints).guess(description, vendor)
    return _categories(expenses), guess


def _categories(expenses: Sequence[CategorisedExpense]) -> Sequence[str]:
    counts: dict[str, int] = {}
    for expense in expenses:
        counts[expense.category] = counts.get(expense.category, 0) + 1
    by_use = sorted(counts, key=lambda category: (-counts[category], category))
    return list(dict.fromkeys([*CATEGORIES, *by_use]))[:MAX_CATEGORIES]
