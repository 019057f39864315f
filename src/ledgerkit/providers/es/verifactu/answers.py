"""What the tax agency's answer says of each record.

Source: AEAT, web service description 1.0.3, sections 5 and 6; RespuestaSuministro.xsd; Orden HAC/1177/2024, art. 16.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from lxml import etree

from ledgerkit.providers.api import Delivery, Outcome, Receipt, State
from ledgerkit.providers.es.verifactu.blocks import day
from ledgerkit.providers.es.verifactu.xml import ANSWER, INFORMATION, SOAP

RETRYABLE = frozenset(
    ["1129", "1241", "1243", "1256", "1288", "3500", "3501", "4103", "4108", "4110", "4111", "4118", "4128"]
)
"""Technical codes: the same bytes may be sent again."""

DUPLICATE = "3000"

_ROOT = f"{{{ANSWER}}}RespuestaRegFactuSistemaFacturacion"
_STATES = {
    "correcto": State.ACCEPTED,
    "aceptadoconerrores": State.ACCEPTED_WITH_ERRORS,
    "incorrecto": State.REJECTED,
    "anulado": State.ANNULLED,
}
_FAULT_CODE = re.compile(r"Codigo\[(\d+)]\.?\s*(.*)", re.DOTALL)
_NOT_STORED = frozenset({401, 403, 404, 405, 413, 415, 429})
"""HTTP statuses with which a server turns a message away unread."""


class _UnreadableError(Exception):
    """Why an answer is none."""


@dataclass(frozen=True)
class _Line:
    number: str
    issue_date: str
    outcome: Outcome


MAX_WAIT_DIGITS = 4
"""TiempoEsperaEnvio, seconds. Source: RespuestaSuministro.xsd."""


def read(delivery: Delivery, records: Sequence[tuple[str, date]]) -> Receipt:
    """An outcome for each of `records` (number, issue date), in their order. Never raises.

    PENDING: surely not stored, or refused for a technical reason; send the same bytes again. UNKNOWN: the answer
    was lost, cut or unreadable; send the same bytes again, as late, and adopt what the authority says it holds.
    `fault` is set when the authority refused the message as such and sending it again unchanged cannot help.
    """
    turned_away = _turned_away(delivery)
    if turned_away is not None:
        return _all(records, Outcome(state=State.PENDING, message=turned_away))
    try:
        body = _body(delivery.body)
        fault = body.find(f"{{{SOAP}}}Fault")
        return _fault(fault, records) if fault is not None else _receipt(body, records)
    except _UnreadableError as failure:
        status = "" if delivery.status is None else f" (HTTP {delivery.status})"
        return _all(records, Outcome(state=State.UNKNOWN, message=f"{delivery.error or failure}{status}"))


def _turned_away(delivery: Delivery) -> str | None:
    """Why nothing can have been stored, whatever the body says."""
    if not delivery.sent:
        return delivery.error or "the message was not sent"
    status = delivery.status
    if status is not None and (300 <= status < 400 or status in _NOT_STORED):
        return f"the authority's server turned the message away with HTTP {status}"
    return None


def _body(content: bytes) -> etree._Element:
    """The SOAP body. No DTD, no entities, no network, no huge trees."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False, load_dtd=False)
    try:
        root = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError) as failure:
        msg = f"the answer is no XML: {failure}"
        raise _UnreadableError(msg) from failure
    if root.getroottree().docinfo.doctype:
        raise _UnreadableError("the answer carries a document type, which is refused")
    body = root.find(f"{{{SOAP}}}Body")
    if root.tag != f"{{{SOAP}}}Envelope" or body is None:
        raise _UnreadableError("the answer is no SOAP envelope")
    return body


def _fault(fault: etree._Element, records: Sequence[tuple[str, date]]) -> Receipt:
    said = " ".join((fault.findtext("faultstring") or "").split())
    match = _FAULT_CODE.match(said)
    code, text = match.groups() if match else (None, said)
    final = (fault.findtext("faultcode") or "").rpartition(":")[2].startswith("Client") and code not in RETRYABLE
    return _all(
        records,
        Outcome(state=State.PENDING, code=code, message=text or None),
        fault=(said or "SOAP fault without a text") if final else None,
    )


def _receipt(body: etree._Element, records: Sequence[tuple[str, date]]) -> Receipt:
    answer = body.find(_ROOT)
    if answer is None:
        raise _UnreadableError("the answer is not one to a submission")
    lines = [_line(line) for line in answer.iterfind(f"{{{ANSWER}}}RespuestaLinea")]
    wait = _text(answer, ANSWER, "TiempoEsperaEnvio")
    return Receipt(
        outcomes=tuple(_matched(lines, records)),
        reference=_text(answer, ANSWER, "CSV") or None,
        wait_seconds=int(wait) if wait.isascii() and wait.isdigit() and len(wait) <= MAX_WAIT_DIGITS else None,
    )


def _matched(lines: list[_Line], records: Sequence[tuple[str, date]]) -> Iterator[Outcome]:
    """Each record takes the first line of its number and date that no earlier record took."""
    left = list(lines)
    for number, issue_date in records:
        wanted = (number.strip(), day(issue_date))
        found = next((line for line in left if (line.number, line.issue_date) == wanted), None)
        if found is None:
            yield Outcome(state=State.UNKNOWN, message="the answer does not speak of this record")
        else:
            left.remove(found)
            yield found.outcome


def _line(line: etree._Element) -> _Line:
    identity = line.find(f"{{{ANSWER}}}IDFactura")
    if identity is None:
        raise _UnreadableError("a line of the answer names no invoice")
    return _Line(
        number=_text(identity, INFORMATION, "NumSerieFactura"),
        issue_date=_text(identity, INFORMATION, "FechaExpedicionFactura"),
        outcome=_outcome(line),
    )


def _outcome(line: etree._Element) -> Outcome:
    code = _text(line, ANSWER, "CodigoErrorRegistro") or None
    message = _text(line, ANSWER, "DescripcionErrorRegistro") or None
    state = _state(_text(line, ANSWER, "EstadoRegistro"))
    held = line.find(f"{{{ANSWER}}}RegistroDuplicado")
    if state is State.REJECTED and code == DUPLICATE and held is not None:
        return _adopted(held)
    if state is State.REJECTED and code in RETRYABLE:
        state = State.PENDING
    return Outcome(state=state, code=code, message=message)


def _adopted(held: etree._Element) -> Outcome:
    """The authority holds the record already: its earlier answer was lost, this is it."""
    return Outcome(
        state=_state(_text(held, INFORMATION, "EstadoRegistroDuplicado")),
        code=_text(held, INFORMATION, "CodigoErrorRegistro") or None,
        message=_text(held, INFORMATION, "DescripcionErrorRegistro") or None,
        duplicate=True,
    )


def _state(word: str) -> State:
    """The authority writes the words in both genders: Correcto, Correcta; AceptadoConErrores, AceptadaConErrores."""
    masculine = word.lower().replace("aceptada", "aceptado")
    if masculine.endswith("a"):
        masculine = f"{masculine[:-1]}o"
    return _STATES.get(masculine, State.UNKNOWN)


def _text(parent: etree._Element, namespace: str, name: str) -> str:
    return (parent.findtext(f"{{{namespace}}}{name}") or "").strip()


def _all(records: Sequence[tuple[str, date]], outcome: Outcome, *, fault: str | None = None) -> Receipt:
    return Receipt(outcomes=(outcome,) * len(records), fault=fault)
