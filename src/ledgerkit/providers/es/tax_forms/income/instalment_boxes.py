"""Boxes of form 130, in its order."""

from collections.abc import Mapping

from ledgerkit.providers.api import Box
from ledgerkit.providers.es.tax_forms.form_texts import BoxTexts, by_key

INCOME, COSTS, NET_INCOME, QUOTA, PAID_BEFORE, WITHHELD, ACTIVITIES = "01", "02", "03", "04", "05", "06", "07"
FARM_INCOME, FARM_QUOTA, FARM_WITHHELD, FARMS = "08", "09", "10", "11"
SUM, REDUCTION, DIFFERENCE, NEGATIVE_BEFORE, HOME_LOAN = "12", "13", "14", "15", "16"
TOTAL, EARLIER, RESULT = "17", "18", "19"

_FORM = BoxTexts("130")
_ALL = (
    _FORM.box(INCOME, "s"),
    _FORM.box(COSTS),
    _FORM.box(NET_INCOME, "-"),
    _FORM.box(QUOTA),
    _FORM.box(PAID_BEFORE),
    _FORM.box(WITHHELD, "s"),
    _FORM.box(ACTIVITIES, "-"),
    _FORM.box(FARM_INCOME, "s"),
    _FORM.box(FARM_QUOTA),
    _FORM.box(FARM_WITHHELD, "s"),
    _FORM.box(FARMS, "-"),
    _FORM.box(SUM),
    _FORM.box(REDUCTION),
    _FORM.box(DIFFERENCE, "-"),
    _FORM.box(NEGATIVE_BEFORE),
    _FORM.box(HOME_LOAN),
    _FORM.box(TOTAL, "-"),
    _FORM.box(EARLIER),
    _FORM.box(RESULT, "-"),
)

BOXES: Mapping[str, Box] = by_key(_ALL)
