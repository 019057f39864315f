"""Words on a country's receipts and purchase invoices: what they tell about a category, and about goods."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class PurchaseWords:
    """Words and vendors' names of one country, in any case, with or without accents, in the singular.

    `categories` are those of expenses (`office`, `fuel`, ...), each with the words and names that speak for it; they
    count until an account has expenses of its own. `not_goods` are words of invoice lines that are charges and no
    goods: delivery, packaging, deposits. `as_of` is the month of the list, `YYYY-MM`.
    """

    categories: Mapping[str, Sequence[str]] = field(default_factory=dict)
    not_goods: Sequence[str] = ()
    as_of: str = ""
