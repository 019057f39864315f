"""Outcomes of records, read from the tax agency's answer.

Source: AEAT, web service description 1.0.3, sections 5 and 6; RespuestaSuministro.xsd; Orden HAC/1177/2024, art. 16.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from lxml import etree

from ledgerkit.providers.api import Blame, Delivery, Outcome, Receipt, State
from ledgerkit.providers.es.verifactu import codes
from ledgerkit.providers.es.verifactu.blocks import day
from ledgerkit.providers.es.verifactu.xml import ANSWER, INFORMATION, SOAP

RETRYABLE = codes.retryable()
"""Technical codes, after which the same bytes may be sent again."""

OF_A_RECORD = frozenset(["4102", "4106", "4107", "4109", "4113", "4114", "4119", "4136", "4137", "4138"])
"""Fault codes that concern the content of some record: the schema, its dates and identifiers, its characters."""

BARRING = "4141"
"""Code of an access that the authority has suspended: it wants to be written to."""

DUPLICATE, ANNULLED_BEFORE = "3000", "3001"

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


class UnreadableError(Exception):
    """Body that is no answer of the tax agency, with the reason."""


@dataclass(frozen=True)
class _Line:
    number: str
    issue_date: str
    outcome: Outcome


MAX_WAIT_DIGITS = 4
"""Most digits of TiempoEsperaEnvio, in seconds. Source: RespuestaSuministro.xsd."""


def read(delivery: Delivery, records: Sequence[tuple[str, date]]) -> Receipt:
    """Return an outcome for each of `records` (number, issue date), in their order. Never raises.

    PENDING: certainly not stored, or refused for a technical reason; send the same bytes again. UNKNOWN: the answer was
    lost, cut or unreadable; send the same bytes again, marked as late, and adopt the state that the authority answers.
    `fault` is set when the authority refused the message as such and sending it again unchanged cannot help.
    """
    why = turned_away(delivery)
    if why is not None:
        return _all(records, Outcome(state=State.PENDING, message=why))
    try:
        body = soap_body(delivery.body)
        fault = body.find(f"{{{SOAP}}}Fault")
        return _fault(fault, records) if fault is not None else _receipt(body, records)
    except UnreadableError as failure:
        status = "" if delivery.status is None else f" (HTTP {delivery.status})"
        return _all(records, Outcome(state=State.UNKNOWN, message=f"{delivery.error or failure}{status}"))


def turned_away(delivery: Delivery) -> str | None:
    """Explain why nothing can have been stored, for any content of the body."""
    if not delivery.sent:
        return delivery.error or "the message was not sent"
    status = delivery.status
    if status is not None and (300 <= status < 400 or status in _NOT_STORED):
        return f"the authority's server turned the message away with HTTP {status}"
    return None


def soap_body(content: bytes) -> etree._Element:
    """The SOAP body. No DTD, no entities, no network, no huge trees."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False, load_dtd=False)
    try:
        root = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError) as failure:
        msg = f"the answer is no XML: {failure}"
        raise UnreadableError(msg) from failure
    if root.getroottree().docinfo.doctype:
        raise UnreadableError("the answer carries a document type, which is refused")
    body = root.find(f"{{{SOAP}}}Body")
    if root.tag != f"{{{SOAP}}}Envelope" or body is None:
        raise UnreadableError("the answer is no SOAP envelope")
    return body


def _fault(fault: etree._Element, records: Sequence[tuple[str, date]]) -> Receipt:
    fault_text = " ".join((fault.findtext("faultstring") or "").split())
    match = _FAULT_CODE.match(fault_text)
    code, words = match.groups() if match else (None, fault_text)
    final = (fault.findtext("faultcode") or "").rpartition(":")[2].startswith("Client") and code not in RETRYABLE
    outcome = Outcome(state=State.PENDING, code=code, message=words or None)
    if not final and code != BARRING:
        return _all(records, outcome)
    return Receipt(
        outcomes=(outcome,) * len(records),
        fault=fault_text or "SOAP fault without a text",
        blame=_blame(code),
        code=code,
    )


def _blame(code: str | None) -> Blame:
    """Party to blame for a whole message: issuer, representative, certificate or service, unless the records are."""
    if code == BARRING:
        return Blame.BARRED
    if code in OF_A_RECORD:
        return Blame.RECORD
    return Blame.SENDER if code is not None and code.startswith("4") else Blame.UNCLEAR


def _receipt(body: etree._Element, records: Sequence[tuple[str, date]]) -> Receipt:
    answer = body.find(_ROOT)
    if answer is None:
        raise UnreadableError("the answer is not one to a submission")
    lines = [_line(line) for line in answer.iterfind(f"{{{ANSWER}}}RespuestaLinea")]
    wait = text(answer, ANSWER, "TiempoEsperaEnvio")
    return Receipt(
        outcomes=tuple(_matched(lines, records)),
        reference=text(answer, ANSWER, "CSV") or None,
        wait_seconds=int(wait) if wait.isascii() and wait.isdigit() and len(wait) <= MAX_WAIT_DIGITS else None,
        at=instant(answer.findtext(f"{{{ANSWER}}}DatosPresentacion/{{{INFORMATION}}}TimestampPresentacion")),
    )


def _matched(lines: list[_Line], records: Sequence[tuple[str, date]]) -> Iterator[Outcome]:
    """Match each record with the lines of its number and date, in their order; silence and contradiction are UNKNOWN.

    An invoice that is there several times (issued, then struck out) needs a line for each time: with one missing,
    nobody can tell which.
    """
    outcomes_by_invoice = defaultdict(list)
    for line in lines:
        outcomes_by_invoice[line.number, line.issue_date].append(line.outcome)
    identities = [(number.strip(), day(issue_date)) for number, issue_date in records]
    times = Counter(identities)
    for identity in identities:
        outcomes = outcomes_by_invoice[identity]
        if len(outcomes) < times[identity]:
            yield Outcome(state=State.UNKNOWN, message="the answer does not speak of this record")
        elif len(outcomes) > times[identity] and len(set(outcomes)) > 1:
            yield Outcome(state=State.UNKNOWN, message="the answer contradicts itself about this record")
        else:
            times[identity] -= 1
            yield outcomes.pop(0)


def _line(line: etree._Element) -> _Line:
    identity = line.find(f"{{{ANSWER}}}IDFactura")
    if identity is None:
        raise UnreadableError("a line of the answer names no invoice")
    return _Line(
        number=text(identity, INFORMATION, "NumSerieFactura"),
        issue_date=text(identity, INFORMATION, "FechaExpedicionFactura"),
        outcome=_outcome(line),
    )


def _outcome(line: etree._Element) -> Outcome:
    code = text(line, ANSWER, "CodigoErrorRegistro") or None
    message = text(line, ANSWER, "DescripcionErrorRegistro") or None
    record_state = state(text(line, ANSWER, "EstadoRegistro"))
    duplicate = line.find(f"{{{ANSWER}}}RegistroDuplicado")
    if record_state is State.REJECTED and code == DUPLICATE:
        document = None if duplicate is None else _held(duplicate)
        return Outcome(state=record_state, code=code, message=message, duplicate=True, held=document)
    if record_state is State.REJECTED and code in RETRYABLE:
        record_state = State.PENDING
    struck_out = record_state is State.REJECTED and code == ANNULLED_BEFORE
    return Outcome(state=record_state, code=code, message=message, struck_out=struck_out)


def _held(duplicate: etree._Element) -> Outcome:
    """Outcome of the document that the authority holds already: the earlier answer, if it is ours."""
    return Outcome(
        state=state(text(duplicate, INFORMATION, "EstadoRegistroDuplicado")),
        code=text(duplicate, INFORMATION, "CodigoErrorRegistro") or None,
        message=text(duplicate, INFORMATION, "DescripcionErrorRegistro") or None,
    )


def state(word: str) -> State:
    """Return the state of a word, which the authority writes in both genders: Correcto, Correcta."""
    masculine = word.lower().replace("aceptada", "aceptado")
    if masculine.endswith("a"):
        masculine = f"{masculine[:-1]}o"
    return _STATES.get(masculine, State.UNKNOWN)


def text(parent: etree._Element, namespace: str, name: str) -> str:
    return (parent.findtext(f"{{{namespace}}}{name}") or "").strip()


def instant(literal: str | None) -> datetime | None:
    """Return the aware instant of a literal; None when it is malformed or has no offset."""
    try:
        moment = datetime.fromisoformat((literal or "").strip())
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else None


def _all(records: Sequence[tuple[str, date]], outcome: Outcome) -> Receipt:
    return Receipt(outcomes=(outcome,) * len(records))
