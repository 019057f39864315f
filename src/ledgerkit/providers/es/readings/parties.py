"""The vendor's name, address and ways to reach it: texts from the head of a document."""

import re
from collections.abc import Sequence

from ledgerkit.providers.api import ReadField, TextLine
from ledgerkit.providers.es.readings.identifiers import CUSTOMER
from ledgerkit.providers.es.readings.rows import Row, plain

_HEAD_ROWS = 12
_LONGEST_NAME = 80
_LEGAL_FORM = re.compile(r"\b(?:S\.? ?[LA]\.? ?(?:U|L|P)?\.?|C\.? ?B\.?|S\.? ?COOP\.?|SOCIEDAD [A-Z]+)\s*$")
_TITLE = re.compile(
    r"^(?:FACTURA|FRA\b|TICKET|TIQUE|RECIBO|ALBARAN|PRESUPUESTO|COPIA|DUPLICADO|ORIGINAL|BIENVENID|GRACIAS|N[O.]? ?\d|"
    r"NO:|NUMERO|FECHA|HORA|PAGINA|PAG\.|WWW|HTTP|DOCUMENTO)"
)
_ADDRESS = re.compile(
    r"^(?:C/|C\.|CL\b|CALLE|AVDA|AVD?\.|AVENIDA|AV\b|PLAZA|PZA|PL\.|PASEO|PS?O\.?|CTRA|CARRETERA|RONDA|CAMINO|POL\.|"
    r"POLIGONO|TRAVESIA|RAMBLA|VIA\b|GLORIETA|URB)|^\d{5}\b"
)
_POSTCODE = re.compile(r"(?<!\d)(?:0[1-9]|[1-4]\d|5[0-2])\d{3}(?!\d)\s+[A-Z]{3}")
_IDENTIFIER = re.compile(r"\b[NCI]\.? ?[I1L]\.? ?F\b|\bVAT\b|\bDNI\b|\bTEL|\bTFNO|\bTLF|\bFAX\b|@|IBAN")
_EMAIL = re.compile(r"[\w.+-]{1,60}@[\w-]{1,60}(?:\.[\w-]{2,20}){1,3}")
_PHONE = re.compile(r"(?:TEL\w*|TFNO|TLF\w*|MOVIL|FONO)\.?:?\s*((?:\+?34[\s.-]?)?[6789](?:[\s.-]?\d){8})(?!\d)")


def vendor_name(rows: Sequence[Row]) -> ReadField[str]:
    """Return the first text of the head that is neither a title, an address nor an identifier.

    A text that ends in a company's legal form comes before one that does not.
    """
    names = [piece for row in rows[:_HEAD_ROWS] for piece in _before_customer(rows, row) if _can_be_name(piece)]
    if not names:
        return ReadField()
    legal = [piece for piece in names if _LEGAL_FORM.search(plain(piece.text))]
    chosen = legal[0] if legal and legal[0] in names[:4] else names[0]
    confidence = min(chosen.confidence, 0.85 if legal else 0.75)
    return ReadField(value=chosen.text.strip()[:_LONGEST_NAME], confidence=confidence)


def vendor_address(rows: Sequence[Row]) -> ReadField[str]:
    """Return street and town of the head, on one line."""
    parts = [
        piece.text.strip()
        for row in rows[: _HEAD_ROWS + 2]
        for piece in _before_customer(rows, row)
        if _ADDRESS.search(plain(piece.text)) or _POSTCODE.search(plain(piece.text))
    ]
    return ReadField(value=", ".join(parts[:3]), confidence=0.7) if parts else ReadField()


def vendor_email(rows: Sequence[Row]) -> ReadField[str]:
    """Return the only e-mail address."""
    values = {match[0].lower() for row in rows for match in _EMAIL.finditer(row.text)}
    return ReadField(value=values.pop(), confidence=0.8) if len(values) == 1 else ReadField()


def vendor_phone(rows: Sequence[Row]) -> ReadField[str]:
    """Return the first number beside a word for telephone, its digits alone."""
    values = [re.sub(r"[^+\d]", "", match[1]) for row in rows for match in _PHONE.finditer(row.plain)]
    return ReadField(value=values[0], confidence=0.8) if values else ReadField()


def _before_customer(rows: Sequence[Row], row: Row) -> list[TextLine]:
    """Return the pieces of a row that do not stand in the customer's block."""
    headers = [piece for each in rows[: row.place + 1] for piece in each.pieces if CUSTOMER.search(plain(piece.text))]
    first = min((piece.box.left for piece in headers), default=None)
    return [piece for piece in row.pieces if first is None or piece.box.right < first]


def _can_be_name(piece: TextLine) -> bool:
    text = plain(piece.text)
    letters = sum(mark.isalpha() for mark in text)
    refused = any(pattern.search(text) for pattern in (_TITLE, _ADDRESS, _POSTCODE, _IDENTIFIER))
    return letters >= 4 and letters * 2 > len(text.replace(" ", "")) and not refused
