"""The QR on the invoice: an address at which anybody can check it with the tax agency.

Source: AEAT, QR specification 0.5.0 (10/12/2025); Orden HAC/1177/2024, arts. 20 and 21.
"""

from dataclasses import replace
from urllib.parse import quote, urlencode

from ledgerkit.providers.api import Environment, QrBlock

BLOCK = QrBlock(above="QR tributario:", below="VERI*FACTU", size_mm=35, margin_mm=6, error_level="M")
UNSENT_BLOCK = replace(BLOCK, below=None)
"""Caption for a stored record: it cannot be verified at the tax agency, and the document must not claim that."""

_TEST = "https://prewww2.aeat.es/wlpl/TIKE-CONT/ValidarQR"
_VALIDATION = {
    Environment.SANDBOX: _TEST,
    Environment.TEST: _TEST,
    Environment.PRODUCTION: "https://www2.agenciatributaria.gob.es/wlpl/TIKE-CONT/ValidarQR",
}
"""Validation services by environment. A sandbox invoice names the test service, which does not know it."""


_UNSENT = "NoVerifactu"


def url(
    environment: Environment, *, issuer: str, number: str, issue_date: str, gross_total: str, unsent: bool = False
) -> str:
    """The address of the QR; the values are the record's own literals, percent-encoded in UTF-8.

    `unsent`: the record is not sent, and the service for such ones is another.
    """
    query = {"nif": issuer, "numserie": number, "fecha": issue_date, "importe": gross_total}
    service = _VALIDATION[environment] + (_UNSENT if unsent else "")
    return f"{service}?{urlencode(query, quote_via=quote, safe='')}"


def block(url: str | None) -> QrBlock:
    """Lay out the QR with this address."""
    return UNSENT_BLOCK if url is not None and f"{_UNSENT}?" in url else BLOCK
