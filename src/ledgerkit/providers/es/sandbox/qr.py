"""The public check of an invoice's QR: is an invoice with this number, date and amount held?

Source: AEAT, QR document 0.5.0 (2025-12-10). The result codes are the authority's; the page around them is ours.
"""

import json
import re
from html import escape
from urllib.parse import parse_qsl

from ledgerkit.providers.es.sandbox.forms import decimal, is_day
from ledgerkit.providers.es.sandbox.reading import valid_nif
from ledgerkit.providers.es.sandbox.register import Register

_NAMES = ("nif", "numserie", "fecha", "importe")
_AMOUNT = re.compile(r"[+-]?[0-9]{1,12}(\.[0-9]{1,2})?")
_FOUND, _NOT_FOUND = "00", "01"
_TEXTS = {_FOUND: "Factura encontrada.", _NOT_FOUND: "Factura no encontrada."}


def check(register: Register, query: str) -> tuple[str, bytes]:
    """Content type and body for the query string of a QR's address; JSON where it says `formato=json`."""
    parameters = dict(parse_qsl(query))
    if errors := _errors(parameters):
        verdict: dict[str, object] = {"status": "KO", "error": ".".join(errors)}
    else:
        verdict = {"status": "OK", "respuesta": _answer(register, parameters)}
    if parameters.get("formato") == "json":
        return "application/json; charset=utf-8", json.dumps(verdict, ensure_ascii=False).encode()
    return "text/html; charset=utf-8", _page(parameters, verdict).encode()


def _errors(parameters: dict[str, str]) -> list[str]:
    missing = [str(1001 + place) for place, name in enumerate(_NAMES) if not parameters.get(name)]
    if missing:
        return missing
    number, day, amount = parameters["numserie"], parameters["fecha"], parameters["importe"]
    wrong = {
        "2001": not valid_nif(parameters["nif"]),
        "2002": len(number) > 60,
        "2003": not all(" " <= character <= "~" for character in number),
        "2004": not is_day(day),
        "2005": not re.fullmatch(r"[+-]?[0-9]+(\.[0-9]+)?", amount),
        "2006": not _AMOUNT.fullmatch(amount),
    }
    return [code for code, broken in wrong.items() if broken][:1]


def _answer(register: Register, parameters: dict[str, str]) -> dict[str, str]:
    entry = register.find((parameters["nif"], parameters["numserie"], parameters["fecha"]))
    same_amount = entry is not None and decimal(entry.total) == decimal(parameters["importe"])
    result = _FOUND if same_amount else _NOT_FOUND
    return {"resultado": result, "mensaje": _TEXTS[result]} | {name: parameters[name] for name in _NAMES}


def _page(parameters: dict[str, str], verdict: dict[str, object]) -> str:
    answer = verdict.get("respuesta")
    text = answer["mensaje"] if isinstance(answer, dict) else f"Error {verdict['error']}"
    list_items = "".join(f"<li>{name}: {escape(parameters.get(name, ''))}</li>" for name in _NAMES)
    return (
        '<!DOCTYPE html><html lang="es"><head><meta charset="utf-8"><title>Sandbox</title></head><body>'
        f"<p>Entorno simulado, sin efectos fiscales.</p><h1>{text}</h1><ul>{list_items}</ul></body></html>"
    )
