"""Details of received documents that tax declarations need, the same for expenses and supplier invoices."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from ledgerkit.core.platform.api_types.fields import PRINTABLE, Flag
from ledgerkit.core.platform.api_types.wire import Wire
from ledgerkit.core.platform.documents.texts import DocumentsMsg
from ledgerkit.problems import Invalid

Retained = Literal["employment", "employment_in_kind", "professional", "rent", "other"]
Reference = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=40), PRINTABLE]
_MAY_BE_WITHOUT_RETENTION = frozenset({None, "rent", "employment", "employment_in_kind"})
Years = Annotated[int, Field(ge=1, le=100)]


class PurchaseDetails(Wire):
    """Details of a received document as callers send them."""

    retention_kind: Retained | None = None
    leased_property: Reference | None = None
    import_dua: Reference | None = None
    useful_life_years: Years | None = None
    triangular: Flag | None = None
    """EU goods sent on to a customer in a third EU country; default false."""


@dataclass(frozen=True, kw_only=True)
class StatedPurchase:
    """Facts of a received document that its details have to agree with, after defaults."""

    retention_kind: str | None
    triangular: bool
    intra_eu: str
    retention: Decimal


def check_details(stated: StatedPurchase) -> None:
    """Raise Invalid naming a detail that contradicts the document.

    Triangular are only goods acquired in the EU (Ley 37/1992 art. 26.Tres); a reason for withholding needs a retention,
    except for a lease, whose landlord may be exempt from it (RD 439/2007 art. 75.3.g), and for wages, of which nothing
    is withheld below a limit (art. 81) and which are declared all the same.
    """
    if stated.triangular and stated.intra_eu != "goods":
        raise Invalid.field("triangular", DocumentsMsg.TRIANGULAR_NEEDS_EU_GOODS)
    if stated.retention_kind not in _MAY_BE_WITHOUT_RETENTION and not stated.retention:
        raise Invalid.field("retentionKind", DocumentsMsg.RETENTION_KIND_NEEDS_RETENTION)
