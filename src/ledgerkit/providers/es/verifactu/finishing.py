"""A record that has been written, with everything that is stored beside its bytes."""

from datetime import date, datetime
from typing import Literal, Protocol

from ledgerkit.providers.api import Place, SealedRecord, Signer, Signing
from ledgerkit.providers.es.verifactu import blocks
from ledgerkit.providers.es.verifactu.corrections import Flags
from ledgerkit.providers.es.verifactu.facts import ChannelFacts


class RecordSigning(Signing, Protocol):
    """`Signing` that also signs a record while it is sealed."""

    def sign(self, content: bytes, signer: Signer, at: datetime) -> bytes:
        """Return a record with its signature, made at the instant `at`."""
        ...


def finished(
    place: Place,
    name: blocks.InvoiceName,
    issue_date: date,
    *,
    kind: Literal["issue", "annul"],
    written: tuple[bytes, str],
    flags: Flags,
    signs: RecordSigning | None,
    qr_url: str | None = None,
) -> SealedRecord:
    """The record of an invoice, `written` as bytes and fingerprint; signed where its installation has a signer.

    Raises ValueError when it has one and `signs` is None.
    """
    content, fingerprint = written
    signer = place.installation.signer
    if signer is not None:
        if signs is None:
            msg = "a record cannot be signed without the signed mode"
            raise ValueError(msg)
        content = signs.sign(content, signer, place.at)
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
