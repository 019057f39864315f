"""Categories that the classifier proposes from the expenses of an account and the words of its country."""

from collections.abc import Mapping, Sequence

from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.purchases.expenses import queries as expense_queries
from ledgerkit.core.purchases.expenses.api import CATEGORIES
from ledgerkit.core.purchases.reading.categories.classifier import CategorisedExpense, CategoryGuess, Classifier

MAX_CATEGORIES = 60
"""Most categories from which a model chooses: the suggested ones and the account's most frequent own ones."""

INTERNATIONAL_WORDS: Mapping[str, Sequence[str]] = {
    "office": (
        *("stationery", "office", "paper", "printer", "desk", "chair"),
        *("postage", "courier", "dhl", "ups", "fedex"),
    ),
    "software": (
        *("software", "license", "licence", "subscription", "hosting", "domain", "cloud", "saas", "server", "github"),
        *("gitlab", "aws", "azure", "digitalocean", "hetzner", "ovh", "cloudflare", "adobe", "figma", "notion"),
        *("slack", "zoom", "dropbox", "microsoft", "jetbrains", "openai", "anthropic", "atlassian", "canva", "godaddy"),
    ),
    "travel": (
        *("travel", "hotel", "flight", "train", "taxi", "airbnb", "booking", "uber", "lufthansa", "easyjet", "hertz"),
        *("avis", "europcar", "hostel", "airline", "trainline"),
    ),
    "meals": ("meal", "lunch", "dinner", "breakfast", "restaurant", "coffee", "starbucks", "deliveroo"),
    "vehicle": ("garage", "tyre", "car", "parking", "toll", "repair"),
    "fuel": ("fuel", "petrol", "diesel", "gasoline"),
    "rent": ("rent", "lease", "coworking"),
    "utilities": ("electricity", "water", "energy", "heating"),
    "telecom": ("phone", "mobile", "internet", "broadband", "telecom"),
    "professional": ("lawyer", "accountant", "notary", "consulting", "legal", "audit"),
    "marketing": ("advertising", "marketing", "ads", "campaign", "printing", "mailchimp", "linkedin"),
    "insurance": ("insurance", "policy", "premium", "axa", "allianz"),
    "training": ("course", "training", "book", "seminar", "conference", "udemy", "coursera"),
    "bank": ("bank", "fee", "interest", "loan", "stripe", "paypal", "wise", "sumup"),
    "taxes": ("tax", "duty", "customs"),
    "goods": ("goods", "stock", "wholesale", "merchandise", "material"),
}
"""Vendors that sell in many countries, and English words, by category; as of 2026-11."""


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
