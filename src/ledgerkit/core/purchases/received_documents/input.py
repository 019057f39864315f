"""Checks of a received document's details, after defaults."""

from datetime import date
from decimal import Decimal

from ledgerkit.core.purchases.received_documents.texts import ReceivedDocumentsMsg
from ledgerkit.problems import Invalid
from ledgerkit.providers.api import Assessment

DETAIL_COLUMNS = (
    "operation_date",
    "regime_key",
    "retention_kind",
    "leased_property",
    "import_dua",
    "useful_life_years",
    "notes",
)
"""Columns that have the value that was sent, or none."""

_MAY_BE_WITHOUT_RETENTION = frozenset({None, "rent", "employment", "employment_in_kind"})


def check_details(*, retention_kind: str | None, triangular: bool, intra_eu: str, retention: Decimal) -> None:
    """Raise Invalid naming a detail that contradicts the document.

    Triangular are only goods acquired in the EU (Ley 37/1992 art. 26.Tres); a reason for withholding needs a retention,
    except for a lease, whose landlord may be exempt from it (RD 439/2007 art. 75.3.g), and for wages, of which nothing
    is withheld below a limit (art. 81) and which are declared all the same.
    """
    if triangular and intra_eu != "goods":
        raise Invalid.field("triangular", ReceivedDocumentsMsg.TRIANGULAR_NEEDS_EU_GOODS)
    if retention_kind not in _MAY_BE_WITHOUT_RETENTION and not retention:
        raise Invalid.field("retentionKind", ReceivedDocumentsMsg.RETENTION_KIND_NEEDS_RETENTION)


def require_from(field: str, day: date, earliest_field: str, earliest_day: date) -> None:
    """Raise Invalid naming `field` for a day before that of `earliest_field`."""
    if day < earliest_day:
        raise Invalid.field(field, ReceivedDocumentsMsg.DAY_TOO_EARLY, earliest=earliest_field)


def is_tax_charged(*, reverse_charge: bool, intra_eu: str) -> bool:
    """Return True when the vendor charges the tax, False when the buyer assesses it (LIVA art. 84.Uno.2, 85)."""
    return not reverse_charge and intra_eu == "none"


def assessment(*, reverse_charge: bool, intra_eu: str) -> Assessment:
    """Return who owes the tax of a received document; an acquisition in the EU is one, marked as reversed or not."""
    match intra_eu:
        case "goods":
            return Assessment.INTRA_EU_GOODS
        case "services":
            return Assessment.INTRA_EU_SERVICES
    return Assessment.REVERSE_CHARGE if reverse_charge else Assessment.VENDOR
