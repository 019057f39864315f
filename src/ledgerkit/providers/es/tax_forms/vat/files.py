"""Parts that the files of the VAT forms have in common."""

from collections.abc import Sequence
from decimal import Decimal

from ledgerkit.providers.api import FileInput
from ledgerkit.providers.es.tax_forms import layouts, official_design
from ledgerkit.providers.es.tax_forms.profile import Activity


def amounts(form: str, content: FileInput) -> dict[str, Decimal]:
    """Return the boxes that the form's file holds."""
    official = official_design.fields(form, content.period)
    return {key: amount for key, amount in content.boxes.items() if key in official}


def activities(listed: Sequence[Activity]) -> dict[str, layouts.Value]:
    """Return the codes and headings of the activities, the main one first."""
    codes: dict[str, layouts.Value] = {
        f"activity_code_{place}": record.kind.value for place, record in enumerate(listed, start=1)
    }
    return codes | {f"iae_heading_{place}": record.iae or "" for place, record in enumerate(listed, start=1)}
