"""Reading of messages: hardened XML, SOAP envelope, structure, header; or the fault that refuses them all."""

import re
from datetime import date

from lxml import etree
from stdnum.es import nif as spanish_nif

from ledgerkit.providers.es.sandbox.messages import (
    Annulment,
    Header,
    Issue,
    Line,
    Link,
    OtherId,
    Person,
    Submission,
    SubmissionError,
    System,
)
from ledgerkit.providers.es.sandbox.structure import ANNULMENT, HEADER, ISSUE, LR, SF, SOAP, require

MAX_RECORDS = 1000
BLANK = "".join(map(chr, range(0x21)))
"""Characters that the authority trims at both ends of a text."""


def read(body: bytes, today: date) -> Submission:
    """The message in `body`. Raises SubmissionError with the authority's code when it is refused as a whole."""
    return submission(message(parse(body)), today)


def submission(root: etree._Element, today: date) -> Submission:
    """Read a submission from the element in the SOAP body."""
    parts = list(root)
    if not parts or parts[0].tag != LR + "Cabecera":
        raise SubmissionError(4102, "Cabecera")
    header = _header(parts[0], today)
    if len(parts) == 1:
        raise SubmissionError(4102, "RegistroFactura")
    if len(parts) - 1 > MAX_RECORDS:
        raise SubmissionError(4114)
    return Submission(header=header, records=tuple(_record(part) for part in parts[1:]))


def valid_nif(value: str) -> bool:
    """A Spanish NIF of nine characters, upper case, whose check character is right and whose number is not zero.

    The first letter of a NIE stands for a digit of its number: X for 0, Y for 1, Z for 2.
    """
    first, digits = value[:1], value[1:8]
    leading = {"Y": "1", "Z": "2"}.get(first, first if first.isdigit() else "")
    not_zero = bool((leading + digits).strip("0"))
    return len(value) == 9 and value == value.upper() and spanish_nif.is_valid(value) and not_zero


def real_day(literal: str) -> date | None:
    """The day of a literal dd-mm-yyyy, or None where the calendar has no such day."""
    try:
        return date(int(literal[6:]), int(literal[3:5]), int(literal[:2]))
    except ValueError:
        return None


def parse(body: bytes) -> etree._Element:
    if not body.strip():
        raise SubmissionError(4138)
    try:
        if "\0" in body.decode():
            raise SubmissionError(4119)
    except UnicodeDecodeError as error:
        raise SubmissionError(4119) from error
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(body, parser)
    except etree.XMLSyntaxError as error:
        raise SubmissionError(4103, str(error.msg)) from error
    _refuse_what_is_not_plain(root)
    return root


def _refuse_what_is_not_plain(root: etree._Element) -> None:
    facts = root.getroottree().docinfo
    if facts.doctype or facts.internalDTD is not None:
        raise SubmissionError(4103, "DOCTYPE")
    if (facts.encoding or "UTF-8").upper() not in {"UTF-8", "US-ASCII", "ASCII"}:
        raise SubmissionError(4119)


def message(root: etree._Element) -> etree._Element:
    """The one submission in a SOAP envelope. Raises SubmissionError."""
    body = root.find(SOAP + "Body")
    if root.tag != SOAP + "Envelope" or body is None:
        raise SubmissionError(4103, "Envelope")
    if not len(body):
        raise SubmissionError(4138)
    if len(body) > 1 or body[0].tag != LR + "RegFactuSistemaFacturacion":
        raise SubmissionError(4102, etree.QName(body[0]).localname)
    return body[0]


def _header(element: etree._Element, today: date) -> Header:
    require(element, HEADER)
    if element.find(SF + "RemisionRequerimiento") is not None:
        raise SubmissionError(4126)
    issuer = _person(element.find(SF + "ObligadoEmision"))
    representative = _person(element.find(SF + "Representante"))
    if issuer is None or not valid_nif(issuer.nif or ""):
        raise SubmissionError(4116)
    if representative and not valid_nif(representative.nif or ""):
        raise SubmissionError(4117)
    for person in filter(None, (issuer, representative)):
        _require_name(person)
    voluntary = element.find(SF + "RemisionVoluntaria")
    header = Header(
        issuer=issuer,
        representative=representative,
        voluntary=voluntary is not None,
        last_day=_optional(voluntary, "FechaFinVeriFactu"),
        incident=_optional(voluntary, "Incidencia"),
    )
    _check_voluntary(header, today)
    return header


def _require_name(person: Person) -> None:
    if not 1 <= len(person.name) <= 120:
        raise SubmissionError(4102, "NombreRazon")


def _check_voluntary(header: Header, today: date) -> None:
    if header.incident not in {None, "S", "N"}:
        raise SubmissionError(4121)
    if header.last_day is None:
        return
    last = real_day(header.last_day) if re.fullmatch(r"\d{2}-\d{2}-\d{4}", header.last_day) else None
    whole_year = last is not None and (today.year < 2027 or (last.month, last.day) == (12, 31))
    if last is None or today.year - last.year not in {0, 1} or not whole_year:
        raise SubmissionError(4120)


def _record(element: etree._Element) -> Issue | Annulment:
    if element.tag != LR + "RegistroFactura" or len(element) != 1:
        raise SubmissionError(4102, "RegistroFactura")
    content = element[0]
    if content.tag == SF + "RegistroAlta":
        require(content, ISSUE)
        return _issue(content)
    if content.tag == SF + "RegistroAnulacion":
        require(content, ANNULMENT)
        return _annulment(content)
    raise SubmissionError(4137 if "Anulacion" in etree.QName(content).localname else 4136)


def _issue(element: etree._Element) -> Issue:
    issuer, number, issue_date = _invoice(element)
    system, link = _system(element), _link(element.find(f"{SF}Encadenamiento/{SF}RegistroAnterior"))
    return Issue(
        version=_text(element, "IDVersion"),
        issuer=issuer,
        number=number,
        issue_date=issue_date,
        reference=_optional(element, "RefExterna"),
        previous_rejection=_optional(element, "RechazoPrevio"),
        first=_optional(element.find(SF + "Encadenamiento"), "PrimerRegistro"),
        link=link,
        system=system,
        generated_at=_text(element, "FechaHoraHusoGenRegistro"),
        fingerprint_type=_text(element, "TipoHuella"),
        fingerprint=_text(element, "Huella"),
        issuer_name=_text(element, "NombreRazonEmisor"),
        amendment=_optional(element, "Subsanacion"),
        type=_text(element, "TipoFactura"),
        correction=_optional(element, "TipoRectificativa"),
        corrected=_links(element, "FacturasRectificadas"),
        replaced=_links(element, "FacturasSustituidas"),
        has_corrected_amounts=element.find(SF + "ImporteRectificacion") is not None,
        operation_date=_optional(element, "FechaOperacion"),
        description=_text(element, "DescripcionOperacion"),
        simplified_with_recipient=_optional(element, "FacturaSimplificadaArt7273"),
        without_recipient=_optional(element, "FacturaSinIdentifDestinatarioArt61d"),
        large=_optional(element, "Macrodato"),
        issued_by=_optional(element, "EmitidaPorTerceroODestinatario"),
        third_party=_person(element.find(SF + "Tercero")),
        recipients=_recipients(element),
        coupon=_optional(element, "Cupon"),
        lines=tuple(map(_line, element.iterfind(f"{SF}Desglose/{SF}DetalleDesglose"))),
        tax_total=_text(element, "CuotaTotal"),
        total=_text(element, "ImporteTotal"),
        agreement=_optional(element, "NumRegistroAcuerdoFacturacion"),
    )


def _annulment(element: etree._Element) -> Annulment:
    issuer, number, issue_date = _invoice(element, "Anulada")
    return Annulment(
        version=_text(element, "IDVersion"),
        issuer=issuer,
        number=number,
        issue_date=issue_date,
        reference=_optional(element, "RefExterna"),
        previous_rejection=_optional(element, "RechazoPrevio"),
        first=_optional(element.find(SF + "Encadenamiento"), "PrimerRegistro"),
        link=_link(element.find(f"{SF}Encadenamiento/{SF}RegistroAnterior")),
        system=_system(element),
        generated_at=_text(element, "FechaHoraHusoGenRegistro"),
        fingerprint_type=_text(element, "TipoHuella"),
        fingerprint=_text(element, "Huella"),
        without_previous=_optional(element, "SinRegistroPrevio"),
        generated_by=_optional(element, "GeneradoPor"),
        generator=_person(element.find(SF + "Generador")),
    )


def _invoice(element: etree._Element, suffix: str = "") -> tuple[str, str, str]:
    """The invoice's name. What could not be echoed in an answer that the schema allows is a fault, not a result."""
    parent = element.find(SF + "IDFactura")
    issuer, number, issue_date = (
        _text(parent, name + suffix) for name in ("IDEmisorFactura", "NumSerieFactura", "FechaExpedicionFactura")
    )
    if len(issuer) != 9:
        raise SubmissionError(4109, "IDEmisorFactura")
    if not number:
        raise SubmissionError(4102, "NumSerieFactura")
    if not re.fullmatch(r"[0-9]{2}-[0-9]{2}-[0-9]{4}", issue_date):
        raise SubmissionError(4106, "FechaExpedicionFactura")
    return issuer, number, issue_date


def _recipients(element: etree._Element) -> tuple[Person, ...]:
    elements = element.iterfind(f"{SF}Destinatarios/{SF}IDDestinatario")
    return tuple(person for person in map(_person, elements) if person)


def _links(element: etree._Element, block: str) -> tuple[Link, ...]:
    elements = element.iterfind(f"{SF}{block}/*")
    return tuple(link for link in map(_link, elements) if link)


def _link(element: etree._Element | None) -> Link | None:
    if element is None:
        return None
    return Link(
        issuer=_text(element, "IDEmisorFactura"),
        number=_text(element, "NumSerieFactura"),
        issue_date=_text(element, "FechaExpedicionFactura"),
        fingerprint=_optional(element, "Huella") or "",
    )


def _line(element: etree._Element) -> Line:
    return Line(
        tax=_optional(element, "Impuesto") or "01",
        regime=_optional(element, "ClaveRegimen"),
        qualification=_optional(element, "CalificacionOperacion"),
        exemption=_optional(element, "OperacionExenta"),
        rate=_optional(element, "TipoImpositivo"),
        base=_text(element, "BaseImponibleOimporteNoSujeto"),
        base_at_cost=_optional(element, "BaseImponibleACoste"),
        amount=_optional(element, "CuotaRepercutida"),
        surcharge_rate=_optional(element, "TipoRecargoEquivalencia"),
        surcharge_amount=_optional(element, "CuotaRecargoEquivalencia"),
    )


def _system(record: etree._Element) -> System:
    element = record.find(SF + "SistemaInformatico")
    producer = _person(element)
    if producer is None:
        raise SubmissionError(4102, "SistemaInformatico")
    return System(
        producer=producer,
        name=_text(element, "NombreSistemaInformatico"),
        id=_text(element, "IdSistemaInformatico"),
        version=_text(element, "Version"),
        installation=_text(element, "NumeroInstalacion"),
        only_verifactu=_text(element, "TipoUsoPosibleSoloVerifactu"),
        several_possible=_text(element, "TipoUsoPosibleMultiOT"),
        several=_text(element, "IndicadorMultiplesOT"),
    )


def _person(element: etree._Element | None) -> Person | None:
    if element is None:
        return None
    other = element.find(SF + "IDOtro")
    return Person(
        name=_text(element, "NombreRazon"),
        nif=_optional(element, "NIF"),
        other=None
        if other is None
        else OtherId(country=_optional(other, "CodigoPais"), kind=_text(other, "IDType"), number=_text(other, "ID")),
    )


def _text(element: etree._Element | None, name: str) -> str:
    return _optional(element, name) or ""


def _optional(element: etree._Element | None, name: str) -> str | None:
    child = None if element is None else element.find(SF + name)
    return None if child is None else (child.text or "").strip(BLANK)
