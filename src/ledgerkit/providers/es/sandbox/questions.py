"""Questions to the authority: ConsultaFactuSistemaFacturacion answered from the register, page by page.

Source: AEAT, ConsultaLR.xsd and RespuestaConsultaLR.xsd 1.0; web service description 1.0.3, section 7. An answer
names the issuer's documents in the order in which each was first stored, ten thousand at most.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from itertools import islice

from lxml import etree

from ledgerkit.providers.es.sandbox.answers import describe, leaf, serialised
from ledgerkit.providers.es.sandbox.forms import is_day
from ledgerkit.providers.es.sandbox.messages import SubmissionError
from ledgerkit.providers.es.sandbox.reading import BLANK, parse, real_day, valid_nif
from ledgerkit.providers.es.sandbox.register import ANNULLED, HELD, HELD_WITH_ERRORS, Entry, Invoice
from ledgerkit.providers.es.sandbox.structure import SF, SOAP, Shape, require, shape

MAX_PAGE = 10_000
_BASE = SF.removesuffix("SuministroInformacion.xsd}")
ASK, SAY = f"{_BASE}ConsultaLR.xsd}}", f"{_BASE}RespuestaConsultaLR.xsd}}"
_MARK = b"ConsultaFactuSistemaFacturacion"
_PREFIXES = {"env": SOAP.strip("{}"), "tikLRRC": SAY.strip("{}"), "tik": SF.strip("{}")}
_STATES = {HELD: "Correcto", HELD_WITH_ERRORS: "AceptadoConErrores", ANNULLED: "Anulado"}

_PERSON = shape("NombreRazon", "NIF?", "IDOtro?", IDOtro=shape("CodigoPais?", "IDType", "ID"))
_KEY = shape("IDEmisorFactura", "NumSerieFactura", "FechaExpedicionFactura")
_HEADER = shape(
    "IDVersion",
    "ObligadoEmision?",
    "Destinatario?",
    "IndicadorRepresentante?",
    ObligadoEmision=_PERSON,
    Destinatario=_PERSON,
)
_PERIOD = shape("Ejercicio", "Periodo")
_DAYS = shape("FechaExpedicionFactura?", "RangoFechaExpedicion?", RangoFechaExpedicion=shape("Desde?", "Hasta?"))
_FILTER: dict[str, Shape] = {
    "PeriodoImputacion": _PERIOD,
    "NumSerieFactura": (),
    "Contraparte": _PERSON,
    "FechaExpedicionFactura": _DAYS,
    "SistemaInformatico": (),
    "RefExterna": (),
    "ClavePaginacion": _KEY,
}
"""Elements of FiltroConsulta, in their order: the first is required. The content of SistemaInformatico is not read."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """Question to the authority: `period` is yyyy-mm; `after` the last invoice of the page before."""

    issuer: str
    issuer_name: str
    period: str
    number: str | None
    first: date | None
    last: date | None
    after: Invoice | None


def is_one(start: bytes) -> bool:
    """Return True when a message with this beginning is a question."""
    return _MARK in start


def read(body: bytes) -> Question:
    """Read a question. Raises SubmissionError with the authority's code when it is malformed or not offered here."""
    message = _message(parse(body))
    header, filter_block = message.find(ASK + "Cabecera"), message.find(ASK + "FiltroConsulta")
    if header is None or filter_block is None:
        raise SubmissionError(4102, "Cabecera" if header is None else "FiltroConsulta")
    name, nif = _asker(header)
    _check_order(filter_block)
    first, last = _days(filter_block.find(ASK + "FechaExpedicionFactura"))
    key = filter_block.find(ASK + "ClavePaginacion")
    return Question(
        issuer=nif,
        issuer_name=name,
        period=_period(filter_block),
        number=_text(filter_block.find(ASK + "NumSerieFactura")),
        first=first,
        last=last,
        after=None if key is None else _invoice(key),
    )


def answer(question: Question, entries: Iterable[Entry], page_size: int) -> bytes:
    """Return the page that was asked for. Pure."""
    fitting_entries = (entry for entry in entries if _fits(question, entry))
    if question.after is not None:
        for entry in fitting_entries:
            if entry.invoice == question.after:
                break
    page = list(islice(fitting_entries, page_size + 1))
    more, page = len(page) > page_size, page[:page_size]
    root = etree.Element(SOAP + "Envelope", nsmap=_PREFIXES)
    etree.SubElement(root, SOAP + "Header")
    content = etree.SubElement(etree.SubElement(root, SOAP + "Body"), SAY + "RespuestaConsultaFactuSistemaFacturacion")
    _echo(content, question)
    leaf(content, SAY + "IndicadorPaginacion", "S" if more else "N")
    leaf(content, SAY + "ResultadoConsulta", "ConDatos" if page else "SinDatos")
    for entry in page:
        _entry(content, entry)
    if more:
        _names(etree.SubElement(content, SAY + "ClavePaginacion"), page[-1].invoice)
    return serialised(root)


def _message(root: etree._Element) -> etree._Element:
    body = root.find(SOAP + "Body")
    if root.tag != SOAP + "Envelope" or body is None:
        raise SubmissionError(4103, "Envelope")
    if len(body) != 1 or body[0].tag != ASK + "ConsultaFactuSistemaFacturacion":
        raise SubmissionError(4102, etree.QName(body[0]).localname if len(body) else "Body")
    return body[0]


def _asker(header: etree._Element) -> tuple[str, str]:
    """Name and NIF of the issuer who asks. Recipients may ask the real authority; here nobody is empowered to."""
    require(header, _HEADER)
    if _text(header.find(SF + "IDVersion")) != "1.0":
        raise SubmissionError(1251)
    issuer = header.find(SF + "ObligadoEmision")
    if issuer is None:
        raise SubmissionError(4140)
    nif = _text(issuer.find(SF + "NIF")) or ""
    if not valid_nif(nif):
        raise SubmissionError(4116)
    return _text(issuer.find(SF + "NombreRazon")) or "", nif


def _check_order(filter_block: etree._Element) -> None:
    names = list(_FILTER)
    places = []
    for child in filter_block:
        name = etree.QName(child).localname
        if child.tag != ASK + name or name not in _FILTER:
            raise SubmissionError(4102, name)
        places.append(names.index(name))
        if _FILTER[name]:
            require(child, _FILTER[name])
    if places[:1] != [0] or places != sorted(set(places)):
        raise SubmissionError(4102, "FiltroConsulta")


def _period(filter_block: etree._Element) -> str:
    year = _text(filter_block.find(f"{ASK}PeriodoImputacion/{SF}Ejercicio")) or ""
    month = _text(filter_block.find(f"{ASK}PeriodoImputacion/{SF}Periodo")) or ""
    if not re.fullmatch(r"[0-9]{4}", year) or not re.fullmatch(r"0[1-9]|1[0-2]", month):
        raise SubmissionError(1248)
    return f"{year}-{month}"


def _days(element: etree._Element | None) -> tuple[date | None, date | None]:
    if element is None:
        return None, None
    if (single_day := element.find(SF + "FechaExpedicionFactura")) is not None:
        day = _day(single_day)
        return day, day
    bounds = element.find(SF + "RangoFechaExpedicion")
    if bounds is None:
        return None, None
    first, last = _day(bounds.find(SF + "Desde")), _day(bounds.find(SF + "Hasta"))
    if first is not None and last is not None and first >= last:
        raise SubmissionError(1250)
    return first, last


def _day(element: etree._Element | None) -> date | None:
    literal = _text(element)
    if literal is None:
        return None
    if not is_day(literal):
        raise SubmissionError(4106)
    return real_day(literal)


def _invoice(key: etree._Element) -> Invoice:
    issuer, number, day = (_text(child) or "" for child in key)
    return issuer, number, day


def _fits(question: Question, entry: Entry) -> bool:
    day = real_day(entry.invoice[2])
    return (
        entry.month == question.period
        and question.number in {None, entry.invoice[1]}
        and (question.first is None or (day is not None and day >= question.first))
        and (question.last is None or (day is not None and day <= question.last))
    )


def _echo(parent: etree._Element, question: Question) -> None:
    header = etree.SubElement(parent, SAY + "Cabecera")
    leaf(header, SF + "IDVersion", "1.0")
    issuer = etree.SubElement(header, SF + "ObligadoEmision")
    leaf(issuer, SF + "NombreRazon", question.issuer_name)
    leaf(issuer, SF + "NIF", question.issuer)
    period = etree.SubElement(parent, SAY + "PeriodoImputacion")
    leaf(period, SAY + "Ejercicio", question.period[:4])
    leaf(period, SAY + "Periodo", question.period[5:])


def _entry(parent: etree._Element, entry: Entry) -> None:
    element = etree.SubElement(parent, SAY + "RegistroRespuestaConsultaFactuSistemaFacturacion")
    _names(etree.SubElement(element, SAY + "IDFactura"), entry.invoice)
    facts = etree.SubElement(element, SAY + "DatosRegistroFacturacion")
    leaf(facts, SAY + "TipoFactura", entry.type)
    if entry.recipient and entry.recipient_nif:
        person = etree.SubElement(etree.SubElement(facts, SAY + "Destinatarios"), SAY + "IDDestinatario")
        leaf(person, SF + "NombreRazon", entry.recipient)
        leaf(person, SF + "NIF", entry.recipient_nif)
    leaf(facts, SAY + "CuotaTotal", entry.tax_total)
    leaf(facts, SAY + "ImporteTotal", entry.total)
    leaf(facts, SAY + "FechaHoraHusoGenRegistro", entry.generated_at)
    leaf(facts, SAY + "TipoHuella", "01")
    leaf(facts, SAY + "Huella", entry.fingerprint)
    leaf(facts, SAY + "Incidencia", entry.incident)
    if entry.presenter:
        presentation = etree.SubElement(element, SAY + "DatosPresentacion")
        leaf(presentation, SF + "NIFPresentador", entry.presenter)
        leaf(presentation, SF + "TimestampPresentacion", entry.at)
        leaf(presentation, SF + "IdPeticion", entry.petition)
    state = etree.SubElement(element, SAY + "EstadoRegistro")
    leaf(state, SAY + "TimestampUltimaModificacion", entry.at)
    leaf(state, SAY + "EstadoRegistro", _STATES[entry.state])
    if entry.code is not None:
        leaf(state, SAY + "CodigoErrorRegistro", str(entry.code))
        leaf(state, SAY + "DescripcionErrorRegistro", describe(entry.code)[:500])


def _names(parent: etree._Element, invoice: Invoice) -> None:
    for name, value in zip(("IDEmisorFactura", "NumSerieFactura", "FechaExpedicionFactura"), invoice, strict=True):
        leaf(parent, SF + name, value)


def _text(element: etree._Element | None) -> str | None:
    return None if element is None else (element.text or "").strip(BLANK)
