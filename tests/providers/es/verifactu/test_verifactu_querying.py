"""Questions of the channel and its reading of the answers: whole ones, spoiled ones, hostile ones."""

from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from ledgerkit.providers.api import Delivery, Heading, Holding, Party, Question, State
from ledgerkit.providers.es.verifactu import querying
from ledgerkit.providers.es.verifactu.xml import QUESTION, QUESTION_ANSWER
from support.soap import HTML, envelope, fault, with_document_type, with_entity

SHARED = Path(__file__).parents[4].parent / "shared" / "spain"
ISSUER = Party(name='Ñandú & "Hijos"', tax_id="89890001K", country="ES")
DAY = date(2026, 11, 20)
HASH = "A" * 64


@pytest.fixture(scope="session")
def question_schema():
    path = SHARED / "verifactu-schemas" / "ConsultaLR.xsd"
    if not path.exists():
        pytest.skip("the official schemas are not here (../shared)")
    return etree.XMLSchema(etree.parse(path, etree.XMLParser(no_network=True)))


KEY = {"IDEmisorFactura": "89890001K", "NumSerieFactura": "F2026-0001 <&>", "FechaExpedicionFactura": "20-11-2026"}
QUESTIONS = {
    "a month": Question(year=2026, month=1),
    "a number": Question(year=2026, month=12, number=' F2026/0001 & "x" '),
    "a day": Question(year=2026, month=11, first=DAY, last=DAY),
    "days": Question(year=2026, month=11, first=DAY, last=date(2026, 11, 30)),
    "a number of a day": Question(year=2026, month=11, number="F2026-0001", first=DAY, last=DAY),
    "from a day on": Question(year=2026, month=11, first=DAY),
    "the next page": Question(year=2026, month=11, last=DAY, after=KEY),
}


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
@pytest.mark.parametrize("representative", [None, ISSUER], ids=["issuer", "representative"])
def test_every_question_keeps_to_the_official_schema(question_schema, question, representative):
    heading = Heading(issuer=ISSUER, representative=representative)

    asked = etree.fromstring(querying.message(heading, question)).find(f".//{{{QUESTION}}}*")

    question_schema.assertValid(asked.getroottree().find(f".//{{{QUESTION}}}ConsultaFactuSistemaFacturacion"))


def test_a_representative_says_that_it_is_one():
    def asked(representative):
        return querying.message(Heading(issuer=ISSUER, representative=representative), QUESTIONS["a month"])

    assert b"<sum1:IndicadorRepresentante>S</sum1:IndicadorRepresentante>" in asked(ISSUER)
    assert b"IndicadorRepresentante" not in asked(None)


def test_a_range_of_one_day_is_asked_as_that_day():
    content = querying.message(Heading(issuer=ISSUER), QUESTIONS["a day"])

    assert b"RangoFechaExpedicion" not in content
    assert content.count(b"20-11-2026") == 1


def entry(number="FA-1", state="Correcto", fingerprint=HASH, day="20-11-2026", more=""):
    return (
        "<r:RegistroRespuestaConsultaFactuSistemaFacturacion><r:IDFactura>"
        f"<i:IDEmisorFactura>89890001K</i:IDEmisorFactura><i:NumSerieFactura>{number}</i:NumSerieFactura>"
        f"<i:FechaExpedicionFactura>{day}</i:FechaExpedicionFactura></r:IDFactura>"
        f"<r:DatosRegistroFacturacion><r:Huella>{fingerprint}</r:Huella></r:DatosRegistroFacturacion>"
        "<r:EstadoRegistro><r:TimestampUltimaModificacion>2026-11-20T10:00:00+01:00</r:TimestampUltimaModificacion>"
        f"<r:EstadoRegistro>{state}</r:EstadoRegistro>{more}</r:EstadoRegistro>"
        "</r:RegistroRespuestaConsultaFactuSistemaFacturacion>"
    )


def answer(*entries, more="N", key=""):
    said = f"<r:IndicadorPaginacion>{more}</r:IndicadorPaginacion>"
    return envelope(QUESTION_ANSWER, "RespuestaConsultaFactuSistemaFacturacion", said, *entries, key)


PAGE = (
    "<r:ClavePaginacion><i:IDEmisorFactura>89890001K</i:IDEmisorFactura><i:NumSerieFactura>FA-1</i:NumSerieFactura>"
    "<i:FechaExpedicionFactura>20-11-2026</i:FechaExpedicionFactura></r:ClavePaginacion>"
)


def read(body, status=200, **delivery):
    return querying.read(Delivery(status=status, body=body, **delivery))


def test_an_answer_says_number_day_state_and_fingerprint():
    wrong = (
        "<r:CodigoErrorRegistro>2001</r:CodigoErrorRegistro><r:DescripcionErrorRegistro>x</r:DescripcionErrorRegistro>"
    )

    found = read(answer(entry(), entry("FA-2", "AceptadoConErrores", more=wrong)))

    at = datetime(2026, 11, 20, 9, tzinfo=UTC)
    held = {"issue_date": DAY, "fingerprint": HASH, "changed_at": at}
    assert found.failure is None
    assert found.holdings == (
        Holding(number="FA-1", state=State.ACCEPTED, **held),
        Holding(number="FA-2", state=State.ACCEPTED_WITH_ERRORS, code="2001", message="x", **held),
    )


@pytest.mark.parametrize(
    ("word", "state"),
    [
        ("Correcto", State.ACCEPTED),
        ("Correcta", State.ACCEPTED),
        ("AceptadoConErrores", State.ACCEPTED_WITH_ERRORS),
        ("AceptadaConErrores", State.ACCEPTED_WITH_ERRORS),
        ("Anulado", State.ANNULLED),
        ("Anulada", State.ANNULLED),
    ],
)
def test_states_are_read_in_both_genders(word, state):
    assert read(answer(entry(state=word))).holdings[0].state is state


def test_nothing_held_is_an_answer_too():
    assert read(answer()) == querying.Answer()


def test_a_page_that_is_not_the_last_says_how_to_go_on():
    found = read(answer(entry(), more="S", key=PAGE))

    assert found.after == {
        "IDEmisorFactura": "89890001K",
        "NumSerieFactura": "FA-1",
        "FechaExpedicionFactura": "20-11-2026",
    }
    assert (
        querying.message(Heading(issuer=ISSUER), Question(year=2026, month=11, after=found.after)).count(b"FA-1") == 1
    )


LAUGHS = (
    b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">'
    b'<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;">]>'
)
SPOILED = {
    "empty": b"",
    "html": HTML,
    "cut": answer(entry())[:-30],
    "external": with_entity(answer(entry("&x;"))),
    "dtd": with_document_type(answer(entry())),
    "laughs": LAUGHS + answer(entry("&d;")),
    "another answer": answer(entry()).replace(b"RespuestaConsulta", b"RespuestaRegFactu"),
    "a strange state": answer(entry(state="Incorrecto")),
    "no day": answer(entry(day="2026-11-20")),
    "no invoice": answer(entry()).replace(b"IDFactura>", b"IDAlgo>"),
    "more, and not where": answer(entry(), more="S"),
    "neither more nor all": answer(entry(), more="X"),
    "too many": answer(*[entry()] * (querying.MAX_PAGE + 1)),
}


@pytest.mark.parametrize("body", SPOILED.values(), ids=SPOILED)
def test_what_is_no_whole_answer_is_a_failure_and_holds_nothing(body):
    found = read(body)

    assert found.failure
    assert (found.holdings, found.after) == ((), None)


def test_a_fault_is_a_failure_in_its_own_words():
    assert read(fault("Client", "Codigo[4140].No puede"), status=500).failure == "Codigo[4140].No puede"


@pytest.mark.parametrize("status", [302, 401, 403, 429])
def test_a_question_turned_away_is_a_failure_whatever_the_body(status):
    assert str(status) in read(answer(entry()), status=status).failure


def test_a_lost_answer_is_a_failure():
    assert read(b"", status=None, error="the answer was lost") == querying.Answer(failure="the answer was lost")


def test_the_sample_answer_with_its_feminine_state_is_read():
    path = SHARED / "verifactu-examples" / "aeat-normalised" / "consulta-emisor-respuesta.xml"
    if not path.exists():
        pytest.skip(f"reference material absent: {path}")

    (held,) = read(path.read_bytes()).holdings

    assert (held.number, held.issue_date, held.state) == ("88", date(2024, 11, 27), State.ACCEPTED)
    assert held.fingerprint.startswith("DAA7F72E")


def test_the_largest_page_is_read_whole():
    found = read(answer(*(entry(f"F-{ordinal}") for ordinal in range(querying.MAX_PAGE))))

    assert len({held.number for held in found.holdings}) == querying.MAX_PAGE


@given(st.binary(max_size=200), st.integers(100, 599), st.booleans())
def test_reading_an_answer_to_a_question_never_raises(body, status, sent):
    assert read(body, status=status, sent=sent).failure


@given(st.integers(0, 1500), st.binary(max_size=3))
def test_a_damaged_answer_to_a_question_never_raises(place, damage):
    whole = answer(entry(), more="S", key=PAGE)

    found = read(whole[:place] + damage + whole[place + len(damage) :])

    assert found.failure is None or found.holdings == ()
