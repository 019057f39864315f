"""A record that has been written, with everything that is stored beside its bytes."""

from datetime import date
from typing import Literal

from ledgerkit.providers.api import Place, SealedRecord
from ledgerkit.providers.es.verifactu import blocks
from ledgerkit.providers.es.verifactu.corrections import Flags
from ledgerkit.providers.es.verifactu.lazy_import import lazy_import

CHANNEL = "verifactu"
VERSION = "1.0"
"""IDVersion of the AEAT's record design."""


def finished(
    place: Place,
    name: blocks.InvoiceName,
    issue_date: date,
    *,
    kind: Literal["issue", "annul"],
    written: tuple[bytes, str],
    flags: Flags,
    qr_url: str | None = None,
) -> SealedRecord:
    """The record of an invoice, `written` as bytes and fingerprint; signed where its installation has a signer."""
    content, fingerprint = written
    if place.installation.signer is not None:
        content = lazy_import("signed_mode.signing_mode").signed(content, place.installation.signer, place.at)
    return SealedRecord(
        channel=CHANNEL,
        channel_version=VERSION,
        kind=kind,
        fiscal_id=blocks.fiscal_id(name, issue_date),
        number=name.number,
        issue_date=issue_date,
        issuer_tax_id=name.issuer,
        content=content,
        media_type=blocks.MEDIA_TYPE,
        fingerprint=fingerprint,
        generated_at=place.at,
        qr_url=qr_url,
        flags=flags.elements(),
    )
