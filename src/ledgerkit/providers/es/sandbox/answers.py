"""Answers of the authority as XML: a result per record, or a SOAP fault.

Source: AEAT, RespuestaSuministro.xsd 1.0; SOAP 1.1 section 4.4.
"""

from dataclasses import dataclass

from lxml import etree

from ledgerkit.providers.es.sandbox.messages import Annulment, Header, Issue, Person
from ledgerkit.providers.es.sandbox.register import Entry
from ledgerkit.providers.es.sandbox.structure import ANSWER, SF, SOAP
from ledgerkit.providers.es.verifactu import codes

CORRECT, WITH_ERRORS, INCORRECT = "Correcto", "AceptadoConErrores", "Incorrecto"
_PREFIXES = {"env": SOAP.strip("{}"), "tikR": ANSWER.strip("{}"), "tik": SF.strip("{}")}


@dataclass(frozen=True, kw_only=True)
class Result:
    """Result of one record: its code, and the authority's holding when it is a duplicate."""

    record: Issue | Annulment
    code: int | None
    duplicate: Entry | None = None

    @property
    def state(self) -> str:
        if self.code is None:
            return CORRECT
        return WITH_ERRORS if is_remark(self.code) else INCORRECT

    @property
    def stored(self) -> bool:
        return self.state != INCORRECT


def answer(header: Header, results: list[Result], *, csv: str | None, at: str, wait: int) -> bytes:
    """The answer to a processed message. `at` is the authority's clock (ISO 8601), `wait` in seconds."""
    root = etree.Element(SOAP + "Envelope", nsmap=_PREFIXES)
    etree.SubElement(root, SOAP + "Header")
    body = etree.SubElement(root, SOAP + "Body")
    content = etree.SubElement(body, ANSWER + "RespuestaRegFactuSistemaFacturacion")
    if csv:
        leaf(content, ANSWER + "CSV", csv)
        presentation = etree.SubElement(content, ANSWER + "DatosPresentacion")
        leaf(presentation, SF + "NIFPresentador", (header.representative or header.issuer).nif)
        leaf(presentation, SF + "TimestampPresentacion", at)
    _header(content, header)
    leaf(content, ANSWER + "TiempoEsperaEnvio", str(wait))
    leaf(content, ANSWER + "EstadoEnvio", overall([result.state for result in results]))
    for result in results:
        _line(content, result)
    return serialised(root)


def fault(code: int, detail: str = "") -> bytes:
    """A SOAP fault: Server when the same message may be sent again as it is, Client otherwise."""
    root = etree.Element(SOAP + "Envelope", nsmap={"env": _PREFIXES["env"]})
    element = etree.SubElement(etree.SubElement(root, SOAP + "Body"), SOAP + "Fault")
    leaf(element, "faultcode", "env:Server" if is_technical(code) else "env:Client")
    leaf(element, "faultstring", f"Codigo[{code}].{describe(code)}" + (f": {detail}" if detail else ""))
    return serialised(root)


def overall(states: list[str]) -> str:
    """EstadoEnvio of a message, from the states of its records."""
    if all(state == CORRECT for state in states):
        return CORRECT
    return INCORRECT if all(state == INCORRECT for state in states) else "ParcialmenteCorrecto"


def _header(parent: etree._Element, header: Header) -> None:
    echo = etree.SubElement(parent, ANSWER + "Cabecera")
    _person(echo, "ObligadoEmision", header.issuer)
    if header.representative:
        _person(echo, "Representante", header.representative)
    if header.voluntary:
        voluntary = etree.SubElement(echo, SF + "RemisionVoluntaria")
        leaf(voluntary, SF + "FechaFinVeriFactu", header.last_day)
        leaf(voluntary, SF + "Incidencia", header.incident)


def _person(parent: etree._Element, name: str, person: Person) -> None:
    element = etree.SubElement(parent, SF + name)
    leaf(element, SF + "NombreRazon", person.name)
    leaf(element, SF + "NIF", person.nif)


def _line(parent: etree._Element, result: Result) -> None:
    record = result.record
    line = etree.SubElement(parent, ANSWER + "RespuestaLinea")
    invoice = etree.SubElement(line, ANSWER + "IDFactura")
    leaf(invoice, SF + "IDEmisorFactura", record.issuer)
    leaf(invoice, SF + "NumSerieFactura", record.number[:60])
    leaf(invoice, SF + "FechaExpedicionFactura", record.issue_date)
    _operation(line, record)
    leaf(line, ANSWER + "RefExterna", record.reference[:60] if record.reference else None)
    leaf(line, ANSWER + "EstadoRegistro", result.state)
    if result.code is not None:
        leaf(line, ANSWER + "CodigoErrorRegistro", str(result.code))
        leaf(line, ANSWER + "DescripcionErrorRegistro", describe(result.code))
    if result.duplicate:
        _duplicate(line, result.duplicate)


def _operation(line: etree._Element, record: Issue | Annulment) -> None:
    """The flags as they came; one outside its list is left out, because the schema has no place for it."""
    operation = etree.SubElement(line, ANSWER + "Operacion")
    issue = isinstance(record, Issue)
    leaf(operation, SF + "TipoOperacion", "Alta" if issue else "Anulacion")
    if isinstance(record, Issue) and record.amendment in {"S", "N"}:
        leaf(operation, SF + "Subsanacion", record.amendment)
    if record.previous_rejection in {"S", "N", "X"}:
        leaf(operation, SF + "RechazoPrevio", record.previous_rejection)
    if isinstance(record, Annulment) and record.without_previous in {"S", "N"}:
        leaf(operation, SF + "SinRegistroPrevio", record.without_previous)


def _duplicate(line: etree._Element, entry: Entry) -> None:
    element = etree.SubElement(line, ANSWER + "RegistroDuplicado")
    leaf(element, SF + "IdPeticionRegistroDuplicado", entry.petition)
    leaf(element, SF + "EstadoRegistroDuplicado", entry.state)
    if entry.code is not None:
        leaf(element, SF + "CodigoErrorRegistro", str(entry.code))
        leaf(element, SF + "DescripcionErrorRegistro", describe(entry.code)[:500])


def leaf(parent: etree._Element, tag: str, text: str | None) -> None:
    """Add an element with a text; nothing where there is none."""
    if text is not None:
        etree.SubElement(parent, tag).text = text


def serialised(root: etree._Element) -> bytes:
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8")


TECHNICAL = frozenset({1129, 1241, 1243, 1256, 1288, 3500, 3501, 4103, 4108, 4110, 4111, 4118, 4128})
"""Codes after which the same message may be sent again unchanged: the failure was the authority's."""


def describe(code: int) -> str:
    """Describe a code in Spanish, as the authority's answers do, also one without a known cause."""
    explanation = codes.explain(str(code))
    if explanation is None or explanation.cause is None:
        return "Código sin descripción en el entorno simulado (sandbox)."
    return explanation.cause.in_language("es")


def is_remark(code: int) -> bool:
    """Return True when a record with this code is stored, and only flagged."""
    return 2000 <= code <= 2009


def is_technical(code: int) -> bool:
    """Return True when the same message may be sent again unchanged."""
    return code in TECHNICAL
