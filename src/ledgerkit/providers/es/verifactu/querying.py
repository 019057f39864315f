"""Questions to the tax agency about its holdings of an issuer: ConsultaFactuSistemaFacturacion and its answer.

Source: AEAT, web service description 1.0.3, section 7; ConsultaLR.xsd and RespuestaConsultaLR.xsd, version 1.0.
"""

import re
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from io import BytesIO

from lxml import etree

from ledgerkit.providers.api import Answer, Delivery, Heading, Holding, Question, State
from ledgerkit.providers.es.verifactu import answers, parties, xml
from ledgerkit.providers.es.verifactu.blocks import day
from ledgerkit.providers.es.verifactu.xml import INFORMATION, SOAP, clean, group, leaf

VERSION = "1.0"
MAX_PAGE = 10_000
"""Most documents in one answer. Source: RespuestaConsultaLR.xsd."""

KEY = ("IDEmisorFactura", "NumSerieFactura", "FechaExpedicionFactura")
"""Key at the end of a page, by which the next one is asked for: ClavePaginacion."""

_IN = f"{{{xml.QUESTION_ANSWER}}}"
_ROOT = f"{_IN}RespuestaConsultaFactuSistemaFacturacion"
_ENTRY = f"{_IN}RegistroRespuestaConsultaFactuSistemaFacturacion"
_RECORD = f"{_IN}DatosRegistroFacturacion"
_AMOUNT = re.compile(r"[+-]?[0-9]{1,12}(\.[0-9]{1,2})?")
_HELD = frozenset({State.ACCEPTED, State.ACCEPTED_WITH_ERRORS, State.ANNULLED})


def message(heading: Heading, question: Question) -> bytes:
    """Write a question. The issuer asks about its own documents; a representative is named as such."""
    issuer = heading.issuer
    name = leaf("NombreRazon", clean(issuer.name, parties.NAME_LENGTH))
    person = group("ObligadoEmision", name, leaf("NIF", parties.issuer_nif(issuer)))
    represented = leaf("IndicadorRepresentante", "S") if heading.representative else ""
    return xml.question(leaf("IDVersion", VERSION) + person + represented, _wanted(question))


def _wanted(question: Question) -> str:
    """FiltroConsulta, in the schema's order; its own elements live in the schema of questions."""
    period = leaf("Ejercicio", f"{question.year:04d}") + leaf("Periodo", f"{question.month:02d}")
    parts = [f"<con:PeriodoImputacion>{period}</con:PeriodoImputacion>"]
    if question.number is not None:
        parts.append(f"<con:NumSerieFactura>{xml.escaped(question.number.strip())}</con:NumSerieFactura>")
    if days := _days(question.first, question.last):
        parts.append(f"<con:FechaExpedicionFactura>{days}</con:FechaExpedicionFactura>")
    if question.after is not None:
        key = "".join(leaf(name, question.after[name]) for name in KEY)
        parts.append(f"<con:ClavePaginacion>{key}</con:ClavePaginacion>")
    return "".join(parts)


def _days(first: date | None, last: date | None) -> str:
    """Write one day, or a range of several: the authority refuses a range of one day (1250)."""
    if first is not None and first == last:
        return leaf("FechaExpedicionFactura", day(first))
    since = leaf("Desde", day(first)) if first is not None else ""
    until = leaf("Hasta", day(last)) if last is not None else ""
    return group("RangoFechaExpedicion", since, until) if since or until else ""


def read(delivery: Delivery) -> Answer:
    """Read the authority's holdings. Never raises: anything but a whole, well-formed answer is a failure."""
    why = answers.turned_away(delivery) or delivery.error
    if why is not None:
        return Answer(failure=why)
    try:
        return _read(delivery.body)
    except (answers.UnreadableError, etree.XMLSyntaxError, ValueError) as failure:
        return Answer(failure=f"the answer cannot be read: {failure} (HTTP {delivery.status})")


def _read(body: bytes) -> Answer:
    """Read entry by entry and forget each: a page may be larger than memory should hold as a tree."""
    holdings: list[Holding] = []
    has_root, more, after = False, "", None
    for element in _elements(body):
        match element.tag:
            case t if t == _ENTRY:
                holdings.append(_holding(element))
                if len(holdings) > MAX_PAGE:
                    raise answers.UnreadableError(f"more than {MAX_PAGE} documents in one answer")
            case t if t == f"{{{SOAP}}}Fault":
                fault_text = " ".join((element.findtext("faultstring") or "SOAP fault without a text").split())
                return Answer(failure=fault_text)
            case t if t == f"{_IN}ClavePaginacion":
                after = {name: answers.text(element, INFORMATION, name) for name in KEY}
            case t if t == f"{_IN}IndicadorPaginacion":
                more = (element.text or "").strip()
            case t if t == _ROOT:
                has_root = True
    if not has_root or more not in {"S", "N"}:
        raise answers.UnreadableError("the answer is not one to a question")
    if more == "S" and after is None:
        raise answers.UnreadableError("the answer says that there is more, and not where")
    return Answer(holdings=tuple(holdings), after=after if more == "S" else None)


def _elements(body: bytes) -> Iterator[etree._Element]:
    """Yield every element that is read, once it is whole. No DTD, no entities, no network, no huge trees."""
    tags = (_ENTRY, _ROOT, f"{_IN}ClavePaginacion", f"{_IN}IndicadorPaginacion", f"{{{SOAP}}}Fault")
    parser = etree.iterparse(
        BytesIO(body),
        events=("end",),
        tag=tags,
        resolve_entities=False,
        no_network=True,
        huge_tree=False,
        load_dtd=False,
    )
    for _, element in parser:
        if element.getroottree().docinfo.doctype:
            raise answers.UnreadableError("it carries a document type, which is refused")
        yield element
        if element.tag == _ENTRY:
            _forget(element)


def _forget(element: etree._Element) -> None:
    parent = element.getparent()
    element.clear()
    while parent is not None and element.getprevious() is not None:
        del parent[0]


def _holding(entry: etree._Element) -> Holding:
    invoice, state_element = entry.find(f"{_IN}IDFactura"), entry.find(f"{_IN}EstadoRegistro")
    if invoice is None or state_element is None:
        raise answers.UnreadableError("an entry names no invoice, or no state")
    state = answers.state(answers.text(state_element, xml.QUESTION_ANSWER, "EstadoRegistro"))
    if state not in _HELD:
        raise answers.UnreadableError("an entry has a state that is none")
    fingerprint = entry.findtext(f"{_RECORD}/{_IN}Huella")
    recipient = entry.findtext(f"{_RECORD}/{_IN}Destinatarios/{_IN}IDDestinatario/{{{INFORMATION}}}NombreRazon")
    return Holding(
        number=answers.text(invoice, INFORMATION, "NumSerieFactura"),
        issue_date=_date(answers.text(invoice, INFORMATION, "FechaExpedicionFactura")),
        state=state,
        fingerprint=(fingerprint or "").strip() or None,
        code=answers.text(state_element, xml.QUESTION_ANSWER, "CodigoErrorRegistro") or None,
        message=answers.text(state_element, xml.QUESTION_ANSWER, "DescripcionErrorRegistro") or None,
        changed_at=answers.instant(state_element.findtext(f"{_IN}TimestampUltimaModificacion")),
        total=_amount(entry.findtext(f"{_RECORD}/{_IN}ImporteTotal")),
        recipient=(recipient or "").strip() or None,
    )


def _amount(literal: str | None) -> Decimal | None:
    """Parse an amount; None where there is none, or one that cannot be read: it is shown, and nothing depends on it."""
    match = _AMOUNT.fullmatch((literal or "").strip())
    return Decimal(match.group()) if match else None


def _date(literal: str) -> date:
    """Parse a day. Raises ValueError unless it has the form dd-mm-yyyy."""
    return datetime.strptime(literal, "%d-%m-%Y").date()  # noqa: DTZ007 - a day has no zone
