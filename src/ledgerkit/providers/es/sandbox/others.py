"""Records of other software: what the authority holds that was not reported from here."""

from decimal import Decimal
from hashlib import sha256

from ledgerkit import clock
from ledgerkit.providers.es.sandbox.register import ANNULLED, HELD, Entry, Invoice

RECIPIENT_NIF = "B12345674"
_ZONE = "Europe/Madrid"
_SOFTWARE = ("A00000000", "XX", "OTHER")
"""Producer, system and installation of the other software."""


def is_theirs(stored_entry: Entry) -> bool:
    """Return True for a record that other software has reported."""
    return stored_entry.chain[1:] == _SOFTWARE


def entry(
    invoice: Invoice, total: Decimal, *, recipient: str | None = None, is_annulled: bool = False, period: str = ""
) -> Entry:
    """Make the record of an invoice (issuer's NIF, number, date as dd-mm-yyyy) with this total, in euros.

    `period`: month of the operation (yyyy-mm), by default that of the issue.
    """
    now = clock.local_now(_ZONE).isoformat(timespec="seconds")
    literal = f"{total:.2f}"
    fingerprint = sha256("".join((*invoice, literal, now)).encode()).hexdigest().upper()
    return Entry(
        chain=(invoice[0], *_SOFTWARE),
        invoice=invoice,
        kind="annulment" if is_annulled else "issue",
        state=ANNULLED if is_annulled else HELD,
        code=None,
        petition=f"{int(fingerprint[:12], 16):020d}"[:20],
        fingerprint=fingerprint,
        previous="",
        at=now,
        total=None if is_annulled else literal,
        period=period,
        presenter=invoice[0],
        type=None if is_annulled else "F1",
        generated_at=now,
        recipient=recipient,
        recipient_nif=None if recipient is None else RECIPIENT_NIF,
    )
