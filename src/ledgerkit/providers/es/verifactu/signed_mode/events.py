"""RegistroEvento: the XML of an event of the signed mode, linked to the event before it.

Source: AEAT, EventosSIF.xsd 1.0, event record design 1.0, fingerprint specification 0.1.2; the order of the elements
is the schema's.
"""

from datetime import datetime

from ledgerkit.problems import Internal
from ledgerkit.providers.api import (
    ChainLink,
    Check,
    Event,
    EventKind,
    EventLink,
    EventPlace,
    EventsExport,
    Finding,
    Happening,
    RecordsExport,
    Summary,
    Totals,
)
from ledgerkit.providers.es.verifactu import chain, parties
from ledgerkit.providers.es.verifactu.blocks import amount, day, flag, system_values
from ledgerkit.providers.es.verifactu.setup import Software
from ledgerkit.providers.es.verifactu.signed_mode.messages import SigningMsg
from ledgerkit.providers.es.verifactu.xml import EVENTS, clean, escaped

NOTE_LENGTH = 100
CODES = {
    EventKind.STARTED: "01",
    EventKind.STOPPED: "02",
    EventKind.RECORDS_CHECKED: "03",
    EventKind.RECORD_FLAWED: "04",
    EventKind.EVENTS_CHECKED: "05",
    EventKind.EVENT_FLAWED: "06",
    EventKind.RESTORED: "07",
    EventKind.RECORDS_EXPORTED: "08",
    EventKind.EVENTS_EXPORTED: "09",
    EventKind.SUMMARY: "10",
    EventKind.OTHER: "90",
}
ANOMALIES = frozenset({f"{number:02d}" for number in range(1, 16)} | {"90"})


def record(event: Event, place: EventPlace, software: Software, at: datetime) -> tuple[str, str, bytes]:
    """Return code, fingerprint and unsigned XML of an event that happened `at`, without a fraction of a second."""
    code, previous, issuer = CODES[event.kind], place.previous, parties.issuer_nif(place.issuer)
    fingerprint = chain.of_event(
        producer=software.producer_tax_id,
        system_id=software.system_id,
        version=clean(software.version, 50),
        installation=clean(place.installation.number, 100),
        issuer=issuer,
        kind=code,
        previous=previous.fingerprint if previous else "",
        generated_at=at.isoformat(),
    )
    content = _group(
        "Evento",
        _system(software, place),
        _group(
            "ObligadoEmision",
            _leaf("NombreRazon", clean(place.issuer.name, parties.NAME_LENGTH)),
            _leaf("NIF", issuer),
        ),
        _leaf("FechaHoraHusoGenEvento", at.isoformat()),
        _leaf("TipoEvento", code),
        _details(event),
        _note(event),
        _group("Encadenamiento", _previous(previous)),
        _leaf("TipoHuella", "01"),
        _leaf("HuellaEvento", fingerprint),
    )
    xml = f'<sf:RegistroEvento xmlns:sf="{EVENTS}">{_leaf("IDVersion", "1.0")}{content}</sf:RegistroEvento>'
    return code, fingerprint, xml.encode()


def _details(event: Event) -> str:
    """DatosPropiosEvento: the part of the XML that depends on the kind of event."""
    match event:
        case Check():
            details = _check(event)
        case Finding():
            details = _finding(event)
        case RecordsExport():
            details = _records_export(event)
        case EventsExport():
            details = _events_export(event)
        case Summary():
            details = _summary(event)
        case Happening():
            return ""
    return _group("DatosPropiosEvento", details)


def _check(event: Check) -> str:
    """Write the checks of records or events with their counts, which the schema limits."""
    of_records = event.kind is EventKind.RECORDS_CHECKED
    subject, processed, limit = (
        ("RegFacturacion", "NumeroDeRegistrosFacturacionProcesadosSobre", 9_999_999)
        if of_records
        else ("RegEvento", "NumeroDeRegistrosEventoProcesadosSobre", 99_999)
    )
    counts = {
        "IntegridadHuellas": event.fingerprints,
        "IntegridadFirmas": event.signatures,
        "TrazabilidadCadena": event.links,
        "TrazabilidadFechas": event.dates,
    }
    parts = [
        _leaf(f"RealizadoProcesoSobre{name}{subject}", flag(value=count is not None))
        + ("" if count is None else _leaf(f"{processed}{name}", str(min(count, limit))))
        for name, count in counts.items()
    ]
    return _group(f"LanzamientoProcesoDeteccionAnomalias{subject}", *parts)


def _finding(event: Finding) -> str:
    code = event.anomaly.code if event.anomaly.code in ANOMALIES else "90"
    anomaly = _leaf("TipoAnomalia", code) + _text("OtrosDatosAnomalia", event.anomaly.message)
    if event.kind is EventKind.RECORD_FLAWED:
        record_id = _group("RegistroFacturacionAnomalo", *_invoice(event.record)) if event.record else ""
        return _group("DeteccionAnomaliasRegFacturacion", anomaly, record_id)
    event_id = _event("RegEventoAnomalo", "FechaHoraHusoEvento", event.event) if event.event else ""
    return _group("DeteccionAnomaliasRegEvento", anomaly, event_id)


def _records_export(event: RecordsExport) -> str:
    totals = event.totals
    if totals.first is None or totals.last is None:
        raise Internal(SigningMsg.EXPORT_WITHOUT_RECORDS)
    return _group(
        "ExportacionRegFacturacionPeriodo",
        _leaf("FechaHoraHusoInicioPeriodoExport", _instant(event.since)),
        _leaf("FechaHoraHusoFinPeriodoExport", _instant(event.until)),
        _link("RegistroFacturacionInicialPeriodo", totals.first),
        _link("RegistroFacturacionFinalPeriodo", totals.last),
        _leaf("NumeroDeRegistrosFacturacionAltaExportados", str(totals.issued)),
        *_sums(totals),
        _leaf("NumeroDeRegistrosFacturacionAnulacionExportados", str(totals.annulled)),
        _leaf("RegistrosFacturacionExportadosDejanDeConservarse", flag(value=event.removed)),
    )


def _events_export(event: EventsExport) -> str:
    return _group(
        "ExportacionRegEventoPeriodo",
        _leaf("FechaHoraHusoInicioPeriodoExport", _instant(event.since)),
        _leaf("FechaHoraHusoFinPeriodoExport", _instant(event.until)),
        _event("RegistroEventoInicialPeriodo", "FechaHoraHusoEvento", event.first),
        _event("RegistroEventoFinalPeriodo", "FechaHoraHusoEvento", event.last),
        _leaf("NumeroDeRegEventoExportados", str(event.count)),
        _leaf("RegEventoExportadosDejanDeConservarse", flag(value=event.removed)),
    )


def _summary(event: Summary) -> str:
    """Write a summary. The schema demands a kind of event: without events, a count of 0 of the voluntary kind."""
    counted = event.events or {CODES[EventKind.OTHER]: 0}
    totals = event.totals
    return _group(
        "ResumenEventos",
        *(
            _group("TipoEvento", _leaf("TipoEvento", code), _leaf("NumeroDeEventos", str(min(count, 9999))))
            for code, count in sorted(counted.items())
        ),
        _link("RegistroFacturacionInicialPeriodo", totals.first) if totals.first else "",
        _link("RegistroFacturacionFinalPeriodo", totals.last) if totals.last else "",
        _leaf("NumeroDeRegistrosFacturacionAltaGenerados", str(min(totals.issued, 999_999))),
        *_sums(totals),
        _leaf("NumeroDeRegistrosFacturacionAnulacionGenerados", str(min(totals.annulled, 999_999))),
    )


def _sums(totals: Totals) -> tuple[str, str]:
    return _leaf("SumaCuotaTotalAlta", amount(totals.tax)), _leaf("SumaImporteTotalAlta", amount(totals.gross))


def _note(event: Event) -> str:
    return _text("OtrosDatosEvento", event.note) if isinstance(event, Happening) and event.note else ""


def _previous(previous: EventLink | None) -> str:
    if previous is None:
        return _leaf("PrimerEvento", "S")
    return _event("EventoAnterior", "FechaHoraHusoGenEvento", previous)


def _event(block: str, instant: str, link: EventLink) -> str:
    return _group(
        block,
        _leaf("TipoEvento", link.code),
        _leaf(instant, _instant(link.generated_at)),
        _leaf("HuellaEvento", link.fingerprint),
    )


def _invoice(link: ChainLink) -> tuple[str, str, str]:
    return (
        _leaf("IDEmisorFactura", link.issuer_tax_id),
        _leaf("NumSerieFactura", link.number),
        _leaf("FechaExpedicionFactura", day(link.issue_date)),
    )


def _link(block: str, link: ChainLink) -> str:
    return _group(block, *_invoice(link), _leaf("Huella", link.fingerprint))


def _system(software: Software, place: EventPlace) -> str:
    installation = place.installation
    values = system_values(software, installation.number, several_issuers=installation.several_issuers)
    return _group("SistemaInformatico", *(_leaf(name, value) for name, value in values))


def _instant(value: datetime) -> str:
    return value.isoformat(timespec="seconds")


def _text(name: str, value: str) -> str:
    return _leaf(name, clean(value, NOTE_LENGTH)) if clean(value, NOTE_LENGTH) else ""


def _leaf(name: str, value: str) -> str:
    return f"<sf:{name}>{escaped(value)}</sf:{name}>"


def _group(name: str, *parts: str) -> str:
    return f"<sf:{name}>{''.join(parts)}</sf:{name}>"
