"""Codes of what was bought, by the category under which the account keeps it.

Source: AEAT, common electronic format of the record books, lists of concepts of expense and of investment goods. Which
category is which concept is a choice of ours: the format knows no categories.
"""

from collections.abc import Mapping
from types import MappingProxyType

from ledgerkit.providers.api import Purchase, RetentionKind

_SALARIES, _RENT, _PROFESSIONALS, _OTHER = "G04", "G12", "G19", "G37"
_BY_RETENTION: Mapping[RetentionKind | None, str] = MappingProxyType(
    {
        RetentionKind.EMPLOYMENT: _SALARIES,
        RetentionKind.EMPLOYMENT_IN_KIND: _SALARIES,
        RetentionKind.PROFESSIONAL: _PROFESSIONALS,
        RetentionKind.RENT: _RENT,
    }
)
_BY_CATEGORY: Mapping[str, str] = MappingProxyType(
    {
        "goods": "G01",
        "office": "G03",
        "meals": "G11",
        "rent": _RENT,
        "vehicle": "G13",
        "fuel": "G18",
        "utilities": "G18",
        "telecom": "G17",
        "professional": _PROFESSIONALS,
        "insurance": "G20",
        "software": "G22",
        "travel": "G22",
        "marketing": "G22",
        "training": "G22",
        "bank": "G24",
        "taxes": "G26",
        "social_security": "G45",
    }
)

_OTHER_GOOD = "29"
_GOODS: Mapping[str, str] = MappingProxyType({"vehicle": "22", "software": "33", "telecom": "23"})


def expense_concept(purchase: Purchase) -> str:
    """Return the concept of an expense: by the reason of its retention, else by its category."""
    return _BY_RETENTION.get(purchase.retention_kind) or _BY_CATEGORY.get(purchase.category, _OTHER)


def good_type(purchase: Purchase) -> str:
    """Return the type of an investment good; tangible ones of other categories are of the type for all others."""
    return _GOODS.get(purchase.category, _OTHER_GOOD)
