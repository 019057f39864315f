"""The log of events: its official form, its chain, and every change that is found in it."""

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

import pytest
from lxml import etree
from spanish_documents import ISSUER
from spanish_signatures import AT, signer, xmlsec1_accepts

from ledgerkit.problems import Internal
from ledgerkit.providers.api import (
    Anomaly,
    AuditedEvent,
    ChainLink,
    Check,
    Environment,
    EventKind,
    EventLink,
    EventPlace,
    EventsExport,
    Finding,
    Happening,
    Installation,
    RecordsExport,
    SandboxAccess,
    Summary,
    Totals,
)
from ledgerkit.providers.es.verifactu import chain
from ledgerkit.providers.es.verifactu.channel import VerifactuChannel
from ledgerkit.providers.es.verifactu.settings import VerifactuSettings
from ledgerkit.providers.es.verifactu.signed_mode.signatures import verify
from ledgerkit.providers.es.verifactu.xml import EVENTS

SF = f"{{{EVENTS}}}"
SIGNS = VerifactuChannel(
    VerifactuSettings(_env_file=None, signed_mode="on"),
    SandboxAccess(url="https://x", ca_file=None, certificate_file=None),
).signs
RECORD = ChainLink(issuer_tax_id="12345678Z", number="F2026-0001", issue_date=date(2026, 11, 20), fingerprint="A" * 64)
EARLIER = EventLink(code="01", generated_at=AT, fingerprint="B" * 64)
FLAW = Anomaly(position=3, kind="link", code="08", message="the fingerprint & <the> record" + " long" * 50)
TOTALS = Totals(issued=3, annulled=1, tax=Decimal("-21.5"), gross=Decimal("121.00"), first=RECORD, last=RECORD)

EVENTS_OF_ALL_KINDS = {
    "01": Happening(kind=EventKind.STARTED),
    "02": Happening(kind=EventKind.STOPPED),
    "03": Check(kind=EventKind.RECORDS_CHECKED, fingerprints=12, signatures=12, links=None, dates=12_345_678),
    "04": Finding(kind=EventKind.RECORD_FLAWED, anomaly=FLAW, record=RECORD),
    "05": Check(kind=EventKind.EVENTS_CHECKED, fingerprints=1, signatures=1, links=123_456, dates=None),
    "06": Finding(kind=EventKind.EVENT_FLAWED, anomaly=FLAW, event=EARLIER),
    "07": Happening(kind=EventKind.RESTORED, note="copia del 19-11-2026"),
    "08": RecordsExport(since=AT, until=AT, totals=TOTALS),
    "09": EventsExport(since=AT, until=AT, first=EARLIER, last=EARLIER, count=3, removed=True),
    "10": Summary(events={"01": 1, "03": 12_345}, totals=TOTALS),
    "90": Happening(kind=EventKind.OTHER, note="ñ & <x>" * 40),
}


def place(previous=None, at=AT):
    installation = Installation(number="0" * 32, several_issuers=True, signer=signer())
    return EventPlace(
        previous=previous, installation=installation, issuer=ISSUER, at=at, environment=Environment.SANDBOX
    )


def logged(*events, start=AT):
    """These events in a chain, a second apart, as they lie in the store."""
    stored, previous = [], None
    for position, event in enumerate(events, start=1):
        made = SIGNS.log(event, place(previous, start + timedelta(seconds=position)))
        previous = EventLink(code=made.code, generated_at=made.generated_at, fingerprint=made.fingerprint)
        stored.append(
            AuditedEvent(
                position=position,
                code=made.code,
                content=made.content,
                fingerprint=made.fingerprint,
                generated_at=made.generated_at,
            )
        )
    return stored


def codes(events, before=None, now=AT + timedelta(hours=1), head=None):
    return [(one.position, one.code) for one in SIGNS.audit(events, before, now, head)]


@pytest.fixture(scope="module")
def schema(request):
    shared = request.path.parents[4].parent / "shared"
    if not shared.is_dir():
        pytest.skip("the reference material (../shared) is not here")
    file = shared / "spain" / "verifactu-schemas" / "EventosSIF.xsd"
    return etree.XMLSchema(etree.parse(file, etree.XMLParser(no_network=True)))


@pytest.mark.parametrize(("code", "event"), EVENTS_OF_ALL_KINDS.items())
def test_each_kind_keeps_to_the_official_schema_and_is_signed(schema, tmp_path, code, event):
    first, second = logged(event, event)

    for one in (first, second):
        schema.assertValid(etree.fromstring(one.content))
        assert one.code == code
        verify(one.content, exact=True)
    assert xmlsec1_accepts(second.content, tmp_path)


@pytest.mark.parametrize(("code", "said"), [("08", "08"), ("15", "15"), ("16", "90"), ("E-7", "90")])
def test_an_anomaly_that_has_no_official_code_is_another_one(schema, code, said):
    flaw = replace(FLAW, code=code)

    events = logged(
        Finding(kind=EventKind.RECORD_FLAWED, anomaly=flaw, record=RECORD),
        Finding(kind=EventKind.EVENT_FLAWED, anomaly=flaw, event=EARLIER),
    )

    for root in (etree.fromstring(event.content) for event in events):
        schema.assertValid(root)
        assert root.findtext(f".//{SF}TipoAnomalia") == said


def test_a_check_says_what_was_held_against_what_and_what_was_not():
    (event,) = logged(Check(kind=EventKind.RECORDS_CHECKED, fingerprints=12, signatures=0, links=None, dates=3))

    own = etree.fromstring(event.content).find(f".//{SF}LanzamientoProcesoDeteccionAnomaliasRegFacturacion")
    assert [leaf.text for leaf in own] == ["S", "12", "S", "0", "N", "S", "3"]


def test_a_summary_of_nothing_is_valid_and_says_nothing(schema):
    (event,) = logged(Summary(events={}, totals=Totals()))

    root = etree.fromstring(event.content)
    schema.assertValid(root)
    assert root.findtext(f".//{SF}NumeroDeEventos") == "0"
    assert root.findtext(f".//{SF}NumeroDeRegistrosFacturacionAltaGenerados") == "0"
    assert root.findtext(f".//{SF}SumaImporteTotalAlta") == "0.00"


def test_the_signature_stands_in_the_event_not_around_it():
    (event,) = logged(Happening(kind=EventKind.STARTED))

    root = etree.fromstring(event.content)
    assert [etree.QName(one).localname for one in root] == ["IDVersion", "Evento"]
    assert etree.QName(root[-1][-1]).localname == "Signature"


@pytest.mark.parametrize("name", ["status-event-summary.xml", "status-system-startup.xml"])
def test_the_fingerprint_is_the_one_of_known_events(shared, name):
    root = etree.parse(shared / "spain/verifactu-examples/events" / name).getroot()
    body = root.find(f"{SF}Evento")
    text = body.findtext

    assert text(f"{SF}HuellaEvento") == chain.of_event(
        producer=text(f"{SF}SistemaInformatico/{SF}NIF"),
        system_id=text(f"{SF}SistemaInformatico/{SF}IdSistemaInformatico"),
        version=text(f"{SF}SistemaInformatico/{SF}Version"),
        installation=text(f"{SF}SistemaInformatico/{SF}NumeroInstalacion"),
        issuer=text(f"{SF}ObligadoEmision/{SF}NIF"),
        kind=text(f"{SF}TipoEvento"),
        previous=text(f"{SF}Encadenamiento/{SF}EventoAnterior/{SF}HuellaEvento"),
        generated_at=text(f"{SF}FechaHoraHusoGenEvento"),
    )


def test_an_export_of_nothing_is_no_event():
    with pytest.raises(Internal):
        logged(RecordsExport(since=AT, until=AT, totals=Totals()))


# ---------------------------------------------------------------- the audit


@pytest.fixture(scope="module")
def chained():
    return logged(*EVENTS_OF_ALL_KINDS.values())


def test_a_whole_log_holds_from_any_point_on(chained):
    before = EventLink(code=chained[3].code, generated_at=chained[3].generated_at, fingerprint=chained[3].fingerprint)

    assert codes(chained) == []
    assert codes(chained[4:], before) == []


def test_any_changed_byte_of_an_event_is_found(chained):
    events = chained[:2]
    content = events[1].content

    for position in range(0, len(content), 29):
        changed = content[:position] + bytes([content[position] ^ 1]) + content[position + 1 :]
        assert codes([events[0], replace(events[1], content=changed)])[0] in {(2, "02"), (2, "03")}, position


FLAWS = {
    "an event is gone": (lambda log: [*log[:2], *log[3:4]], [(4, "04"), (4, "08")]),
    "two are exchanged": (lambda log: [log[1], log[0]], [(1, "04"), (1, "06"), (1, "11")]),
    "another fingerprint": (lambda log: [replace(log[0], fingerprint="C" * 64), log[1]], [(1, "01"), (2, "08")]),
    "another kind": (lambda log: [log[0], replace(log[1], code="90")], [(2, "01")]),
    "another kind before": (lambda log: [replace(log[0], code="90"), log[1]], [(1, "01"), (2, "10")]),
    "another time": (lambda log: [log[0], replace(log[1], generated_at=log[2].generated_at)], [(2, "14")]),
    "one before the first": (lambda log: [replace(log[1], position=1)], [(1, "04")]),
    "the log of another": (lambda log: [log[0], replace(logged(STOP)[0], position=2)], [(2, "06")]),
}
STOP = Happening(kind=EventKind.STOPPED)


@pytest.mark.parametrize(("change", "expected"), FLAWS.values(), ids=FLAWS)
def test_what_was_changed_in_the_log_is_named_by_the_official_codes(chained, change, expected):
    assert codes(change(chained)) == expected


def test_an_event_later_than_now_is_found(chained):
    assert (11, "13") in codes(chained, now=AT - timedelta(minutes=5))
    assert codes(chained, now=AT - timedelta(seconds=30)) == []


def test_events_that_are_gone_at_the_end_are_found_by_the_head_of_the_log(chained):
    assert codes(chained, head=chained[-1]) == []
    assert codes(chained[:-1], head=chained[-1]) == [(11, "05")]
    assert codes([], head=chained[-1]) == [(11, "05")]
