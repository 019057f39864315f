"""Audit a chain of events. Source: AEAT, EventosSIF.xsd 1.0 (kinds of anomaly); fingerprint specification 0.1.2."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from lxml import etree

from ledgerkit.providers.api import Anomaly, AuditedEvent, EventLink
from ledgerkit.providers.es.verifactu import chain
from ledgerkit.providers.es.verifactu.signed_mode import signatures
from ledgerkit.providers.es.verifactu.xml import EVENTS

CLOCK_TOLERANCE = timedelta(minutes=1)
_SF = f"{{{EVENTS}}}"


def audit(
    events: Iterable[AuditedEvent], before: EventLink | None, now: datetime, head: AuditedEvent | None = None
) -> Iterator[Anomaly]:
    """Yield every anomaly of a stretch of events, oldest first; with `head` the stretch has to end there."""
    previous, expected = before, None
    for event in events:
        if expected is not None and event.position != expected:
            yield _anomaly(event, "gap", "04", f"the events between {expected - 1} and {event.position} are missing")
        yield from _flaws(event, previous, now)
        previous = EventLink(code=event.code, generated_at=event.generated_at, fingerprint=event.fingerprint)
        expected = event.position + 1
    if head is not None and (previous is None or previous.fingerprint != head.fingerprint):
        yield _anomaly(head, "gap", "05", "the events at the end are not those that were logged last")


def _flaws(event: AuditedEvent, previous: EventLink | None, now: datetime) -> Iterator[Anomaly]:
    try:
        signatures.verify(event.content, exact=True)
    except signatures.SignatureError as failure:
        yield _anomaly(event, "signature", "02", str(failure))
    try:
        body = _parsed(event.content).find(f"{_SF}Evento")
    except ValueError:
        body = None
    if body is None:
        yield _anomaly(event, "content", "03", "the event cannot be read")
        return
    yield from _fingerprint_flaws(event, body)
    yield from _link_flaws(event, body, previous)
    yield from _date_flaws(event, body, previous, now)


def _fingerprint_flaws(event: AuditedEvent, body: etree._Element) -> Iterator[Anomaly]:
    system = body.find(f"{_SF}SistemaInformatico")
    recomputed = chain.of_event(
        producer=_text(system, "NIF"),
        system_id=_text(system, "IdSistemaInformatico"),
        version=_text(system, "Version"),
        installation=_text(system, "NumeroInstalacion"),
        issuer=_text(body.find(f"{_SF}ObligadoEmision"), "NIF"),
        kind=_text(body, "TipoEvento"),
        previous=_text(body.find(f"{_SF}Encadenamiento/{_SF}EventoAnterior"), "HuellaEvento"),
        generated_at=_text(body, "FechaHoraHusoGenEvento"),
    )
    if not recomputed == event.fingerprint == _text(body, "HuellaEvento") or _text(body, "TipoEvento") != event.code:
        yield _anomaly(event, "fingerprint", "01", "the fingerprint is not that of what the event says")


def _link_flaws(event: AuditedEvent, body: etree._Element, previous: EventLink | None) -> Iterator[Anomaly]:
    stated = body.find(f"{_SF}Encadenamiento/{_SF}EventoAnterior")
    if previous is None:
        if stated is not None and event.position == 1:
            yield _anomaly(event, "link", "04", "the first event names one before it")
        return
    if stated is None:
        yield _anomaly(event, "link", "06", "the event says that it is the first, and is not")
    elif _text(stated, "HuellaEvento") != previous.fingerprint:
        yield _anomaly(event, "link", "08", "the fingerprint it holds of the event before is not that event's")
    elif (_text(stated, "TipoEvento"), _moment(stated)) != (previous.code, previous.generated_at):
        yield _anomaly(event, "link", "10", "what it says of the event before is not so")


def _date_flaws(
    event: AuditedEvent, body: etree._Element, previous: EventLink | None, now: datetime
) -> Iterator[Anomaly]:
    at = _moment(body)
    if at is None or at != event.generated_at:
        yield _anomaly(event, "date", "14", "the event's time is not the one it was stored with")
    if previous is not None and event.generated_at < previous.generated_at:
        yield _anomaly(event, "date", "11", "the event is earlier than the one before it")
    if event.generated_at > now + CLOCK_TOLERANCE:
        yield _anomaly(event, "date", "13", "the event is later than now")


def _anomaly(event: AuditedEvent, kind: str, code: str, message: str) -> Anomaly:
    return Anomaly(position=event.position, kind=kind, code=code, message=message)  # type: ignore[arg-type] # the literals above


def _moment(parent: etree._Element) -> datetime | None:
    try:
        return datetime.fromisoformat(_text(parent, "FechaHoraHusoGenEvento"))
    except ValueError:
        return None


def _parsed(content: bytes) -> etree._Element:
    """Parse an event. Raises ValueError for content that is no XML."""
    try:
        return etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False))
    except etree.XMLSyntaxError as failure:
        raise ValueError(str(failure)) from None


def _text(parent: etree._Element | None, name: str) -> str:
    return "" if parent is None else parent.findtext(f"{_SF}{name}") or ""
