"""Identifiers with check characters: NIF and IBAN, repaired only where exactly one reading passes the check.

Sources: RD 1065/2007, arts. 18 to 28 (NIF); ISO 13616 (IBAN), of 24 characters in Spain.
"""

import re
from collections.abc import Iterator, Sequence

from stdnum import iban as iban_check
from stdnum.exceptions import ValidationError

from ledgerkit.providers.api import ReadField, TextLine
from ledgerkit.providers.es import tax_ids
from ledgerkit.providers.es.readings.rows import Row, plain

CUSTOMER = re.compile(
    r"\bCLIENTE\b|FACTURAR A|FACTURADO A|DESTINATARI|COMPRADOR|DATOS FISCALES DEL?\b|ADQUIRENTE|TITULAR"
)
_CUSTOMER_ROWS = 7

_LABEL = re.compile(
    r"(?:N\.? ?[I1L]\.? ?F|C\.? ?[I1L]\.? ?F|VAT|D\.? ?N\.? ?[I1L])\b\.?"
    r"(?: ?/ ?(?:N\.?I\.?F|C\.?I\.?F)\.?)?\s?[:;.]?\s?"
)
_BODY = re.compile(r"(?:ES[\s-]?)?((?:[A-Z0-9][\s.\-/]{0,2}){8}[A-Z0-9])(?![A-Z0-9])")
_TO_DIGIT = {"O": "0", "D": "0", "Q": "0", "I": "1", "L": "1", "B": "8", "S": "5", "Z": "2", "G": "6", "T": "7"}
_TO_LETTER = {"0": "O", "8": "B", "5": "S", "1": "I", "2": "Z", "6": "G"}
_SEPARATORS = re.compile(r"[\s.\-/]+")
_MOST_REPAIRS = 3
_FORMS = (("L", "D" * 7, "D"), ("L", "D" * 7, "L"), ("D", "D" * 7, "L"))
_IBAN = re.compile(r"(?<![A-Z0-9])([E3][S5](?:[\s-]?[0-9OIBSLZG]){22})(?![A-Z0-9*])")


def vendor_tax_id(rows: Sequence[Row]) -> ReadField[str]:
    """Return the issuer's NIF: the only one that is not the customer's; None when several could be it."""
    customers = [(row, piece) for row in rows for piece in row.pieces if CUSTOMER.search(plain(piece.text))]
    labelled: dict[str, float] = {}
    bare: dict[str, float] = {}
    for row in rows:
        for piece in row.pieces:
            if any(_below(row, piece, header) for header in customers):
                continue
            for value, with_label, confidence in _tax_ids(piece):
                found_in = labelled if with_label else bare
                found_in[value] = max(confidence, found_in.get(value, 0.0))
    for candidates in (labelled, bare):
        if len(candidates) == 1:
            value, confidence = candidates.popitem()
            return ReadField(value=value, confidence=confidence)
        if candidates:
            return ReadField()
    return ReadField()


def repaired_tax_id(text: str) -> str | None:
    """Return the NIF in its normal form; None when no reading of the nine characters passes, or several do."""
    compact = _SEPARATORS.sub("", text.upper())
    if exact := tax_ids.spanish(compact):
        return exact
    readings = {
        value for form in _FORMS if (shaped := _shaped(compact, "".join(form))) and (value := tax_ids.spanish(shaped))
    }
    return readings.pop() if len(readings) == 1 else None


def account_number(rows: Sequence[Row]) -> ReadField[str]:
    """Return the only Spanish IBAN whose digits are right."""
    values = {value for row in rows for match in _IBAN.finditer(row.plain) if (value := repaired_iban(match[1]))}
    return ReadField(value=values.pop(), confidence=0.97) if len(values) == 1 else ReadField()


def repaired_iban(text: str) -> str | None:
    """Return the IBAN without spaces; None when its digits are wrong."""
    compact = _SEPARATORS.sub("", text.upper())
    shaped = "ES" + "".join(_TO_DIGIT.get(mark, mark) for mark in compact[2:])
    for candidate in (compact, shaped) if compact[:2] in {"ES", "E5", "3S", "35"} else (compact,):
        try:
            return iban_check.validate(candidate)
        except ValidationError:
            continue
    return None


def _tax_ids(piece: TextLine) -> Iterator[tuple[str, bool, float]]:
    """Yield the identifiers of a piece: value, labelled or not, confidence."""
    text = plain(piece.text)
    labels = list(_LABEL.finditer(text))
    for label in labels:
        body = _BODY.match(text, label.end())
        if body and (value := repaired_tax_id(body[1])):
            yield value, True, 0.97 if value == _SEPARATORS.sub("", body[1]) else 0.9
    if not labels and not re.search(r"IBAN|CUPS|TEL|AUT|TARJETA", text):
        for body in re.finditer(_BODY.pattern, text):
            if (value := tax_ids.spanish(_SEPARATORS.sub("", body[1]))) and not re.match(
                r"\d", text[max(0, body.start() - 1) : body.start()]
            ):
                yield value, False, 0.85


def _below(row: Row, piece: TextLine, header: tuple[Row, TextLine]) -> bool:
    """Return True when a piece stands in the block that a customer's heading begins."""
    header_row, header_piece = header
    height = header_piece.box.bottom - header_piece.box.top
    right_of = piece.box.left >= header_piece.box.left - 2 * height
    return right_of and 0 <= row.place - header_row.place <= _CUSTOMER_ROWS


def _shaped(compact: str, form: str) -> str | None:
    """Return nine characters brought to a form of letters (L) and digits (D); None where one has no such reading."""
    if len(compact) != len(form):
        return None
    marks = []
    for mark, wanted_kind in zip(compact, form, strict=True):
        fits = mark.isdigit() if wanted_kind == "D" else mark.isalpha()
        other = mark if fits else (_TO_DIGIT if wanted_kind == "D" else _TO_LETTER).get(mark)
        if other is None:
            return None
        marks.append(other)
    repairs = sum(mark != other for mark, other in zip(compact, marks, strict=True))
    return "".join(marks) if repairs <= _MOST_REPAIRS else None
