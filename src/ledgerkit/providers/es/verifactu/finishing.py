"""A record that has been written, with everything that is stored beside its bytes."""

from collections.abc import Callable
from datetime import date, datetime
from typing import Literal

from ledgerkit.providers.api import Place, SealedRecord, Signer
from ledgerkit.providers.es.verifactu import blocks
from ledgerkit.providers.es.verifactu.corrections import Flags
from ledgerkit.providers.es.verifactu.facts import ChannelFacts

Sign = Callable[[bytes, Signer, datetime], bytes]
"""Return a record with its signature, made at an instant."""


def finished(
    place: Place,
    name: blocks.InvoiceName,
    issue_date: date,
    *,
    kind: Literal["issue", "annul"],
    written: tuple[bytes, str],
    flags: Flags,
    sign: Sign,
    qr_url: str | None = None,
) -> SealedRecord:
    """The record of an invoice, `written` as bytes and fingerprint; signed where its installation has a signer."""
    content, fingerprint = written
    if place.installation.signer is not None:
        content = sign(content, place.installation.signer, place.at)
    return SealedRecord(
        channel=ChannelFacts.id,
        channel_version=ChannelFacts.version,
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
