from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledgerkit.providers.api import Blame, Delivery, Outcome, State
from ledgerkit.providers.es.verifactu import answers
from ledgerkit.providers.es.verifactu.xml import ANSWER
from support.soap import HTML, envelope, fault, with_document_type, with_entity

RESPONSES = Path(__file__).parents[4].parent / "shared" / "spain" / "verifactu-examples" / "responses"
DAY = date(2026, 11, 20)
ONE = [("FA-1", DAY)]


def line(number="FA-1", day="20-11-2026", state="Correcto", code="", duplicate=""):
    error = f"<r:CodigoErrorRegistro>{code}</r:CodigoErrorRegistro>" if code else ""
    held = (
        f"<r:RegistroDuplicado><i:IdPeticionRegistroDuplicado>1</i:IdPeticionRegistroDuplicado>"
        f"<i:EstadoRegistroDuplicado>{duplicate}</i:EstadoRegistroDuplicado></r:RegistroDuplicado>"
        if duplicate
        else ""
    )
    return (
        "<r:RespuestaLinea><r:IDFactura><i:IDEmisorFactura>89890001K</i:IDEmisorFactura>"
        f"<i:NumSerieFactura>{number}</i:NumSerieFactura><i:FechaExpedicionFactura>{day}</i:FechaExpedicionFactura>"
        f"</r:IDFactura><r:EstadoRegistro>{state}</r:EstadoRegistro>{error}{held}</r:RespuestaLinea>"
    )


def answer(*lines, wait="60", csv="A-1"):
    head = f"<r:CSV>{csv}</r:CSV><r:TiempoEsperaEnvio>{wait}</r:TiempoEsperaEnvio>"
    return envelope(ANSWER, "RespuestaRegFactuSistemaFacturacion", head, *lines)


def read(body, records=ONE, status=200):
    return answers.read(Delivery(status=status, body=body), records)


def only(body, **more):
    (outcome,) = read(body, **more).outcomes
    return outcome


@pytest.mark.parametrize(
    ("name", "records", "states"),
    [
        (
            "respuesta-correcto.xml",
            [("FA-2026-0001", DAY), ("FA-2026-0000", date(2026, 11, 19))],
            [State.ACCEPTED, State.ACCEPTED],
        ),
        (
            "respuesta-parcial.xml",
            [("FA-2026-0001", DAY), ("FA-2026-0002", DAY), ("FA-2026-0003", DAY)],
            [State.ACCEPTED, State.ACCEPTED_WITH_ERRORS, State.REJECTED],
        ),
        ("respuesta-rechazo-total.xml", [("FA-2026-0004", DAY)], [State.REJECTED]),
        ("respuesta-duplicado.xml", [("FA-2026-0001", DAY)], [State.REJECTED]),
        ("respuesta-2004-fuera-de-margen.xml", [("FA-2026-0005", DAY)], [State.ACCEPTED_WITH_ERRORS]),
        ("soap-fault-4102.xml", ONE, [State.PENDING]),
        ("soap-fault-server.xml", ONE, [State.PENDING]),
    ],
)
def test_the_sample_answers(name, records, states):
    if not RESPONSES.is_dir():
        pytest.skip(f"reference material absent: {RESPONSES}")

    receipt = read((RESPONSES / name).read_bytes(), records)

    assert [outcome.state for outcome in receipt.outcomes] == states


def test_the_reference_and_the_pause_are_kept():
    receipt = read(answer(line(), wait="0120", csv="A-86U4KHPACUMVZE"))

    assert receipt.reference == "A-86U4KHPACUMVZE"
    assert receipt.wait_seconds == 120
    assert receipt.fault is None


def test_an_empty_pause_keeps_the_last_one():
    assert read(answer(line(), wait="")).wait_seconds is None


def test_a_refusal_says_code_and_text():
    assert only(answer(line(state="Incorrecto", code="0107"))) == Outcome(state=State.REJECTED, code="0107")


@pytest.mark.parametrize(
    ("word", "state"),
    [
        ("Correcto", State.ACCEPTED),
        ("Correcta", State.ACCEPTED),
        ("AceptadoConErrores", State.ACCEPTED_WITH_ERRORS),
        ("AceptadaConErrores", State.ACCEPTED_WITH_ERRORS),
        ("Incorrecto", State.REJECTED),
        ("Incorrecta", State.REJECTED),
        ("Anulada", State.ANNULLED),
        ("", State.UNKNOWN),
        ("Quizá", State.UNKNOWN),
    ],
)
def test_state_words_in_both_genders(word, state):
    assert only(answer(line(state=word))).state is state


@pytest.mark.parametrize(
    ("held", "state"),
    [
        ("Correcta", State.ACCEPTED),
        ("AceptadaConErrores", State.ACCEPTED_WITH_ERRORS),
        ("Anulada", State.ANNULLED),
    ],
)
def test_a_duplicate_comes_with_what_the_authority_holds(held, state):
    outcome = only(answer(line(state="Incorrecto", code="3000", duplicate=held)))

    assert (outcome.state, outcome.code, outcome.duplicate) == (State.REJECTED, "3000", True)
    assert outcome.held is not None
    assert outcome.held.state is state


def test_a_duplicate_without_its_state_is_one_too():
    outcome = only(answer(line(state="Incorrecto", code="3000")))

    assert (outcome.state, outcome.duplicate, outcome.held) == (State.REJECTED, True, None)


@pytest.mark.parametrize("code", sorted(answers.RETRYABLE))
def test_technical_codes_are_tried_again(code):
    assert only(answer(line(state="Incorrecto", code=code))) == Outcome(state=State.PENDING, code=code)


def test_lines_are_matched_by_number_and_date_whatever_their_order():
    lines = [line("B", state="Incorrecto"), line("A", day="19-11-2026", state="AceptadoConErrores"), line("A")]
    records = [("A", DAY), ("A", date(2026, 11, 19)), ("B", DAY)]

    states = [outcome.state for outcome in read(answer(*lines), records).outcomes]

    assert states == [State.ACCEPTED, State.ACCEPTED_WITH_ERRORS, State.REJECTED]


def test_two_records_of_one_invoice_take_their_lines_in_order():
    lines = [line("A", state="AceptadoConErrores"), line("A")]

    states = [outcome.state for outcome in read(answer(*lines), [("A", DAY), ("A", DAY)]).outcomes]

    assert states == [State.ACCEPTED_WITH_ERRORS, State.ACCEPTED]


def test_a_record_the_answer_is_silent_about_is_unknown():
    states = [outcome.state for outcome in read(answer(line("A")), [("A", DAY), ("B", DAY)]).outcomes]

    assert states == [State.ACCEPTED, State.UNKNOWN]


def test_of_two_records_of_one_invoice_with_one_line_nobody_can_tell_which():
    states = [outcome.state for outcome in read(answer(line("A")), [("A", DAY), ("A", DAY)]).outcomes]

    assert states == [State.UNKNOWN, State.UNKNOWN]


def test_a_line_said_twice_counts_once_and_one_that_contradicts_itself_is_unknown():
    assert only(answer(line(), line())).state is State.ACCEPTED
    assert only(answer(line(), line(state="Incorrecto", code="1124"))).state is State.UNKNOWN


def test_lines_about_strangers_change_nothing():
    assert only(answer(line("Z"), line(), line(day="01-01-2026"))).state is State.ACCEPTED


@pytest.mark.parametrize("status", [200, 500])
def test_a_client_fault_refuses_the_message_and_names_its_code(status):
    receipt = read(fault("Client", "Codigo[4104].El NIF\n   no está identificado."), ONE * 2, status)

    assert receipt.fault == "Codigo[4104].El NIF no está identificado."
    assert receipt.outcomes == (Outcome(state=State.PENDING, code="4104", message="El NIF no está identificado."),) * 2


@pytest.mark.parametrize(("kind", "code"), [("Server", "3501"), ("Client", "4118")])
def test_a_technical_fault_is_only_tried_again(kind, code):
    receipt = read(fault(kind, f"Codigo[{code}].Error técnico."), status=500)

    assert receipt.fault is None
    assert receipt.outcomes[0].state is State.PENDING
    assert receipt.outcomes[0].code == code


@pytest.mark.parametrize("status", [301, 302, 307, 401, 403, 404, 429])
def test_a_message_turned_away_is_pending_whatever_the_body(status):
    assert only(answer(line()), status=status).state is State.PENDING


def test_what_was_never_sent_is_pending_and_what_was_cut_is_unknown():
    def state(**delivery):
        return answers.read(Delivery(status=None, body=b"", error="x", **delivery), ONE).outcomes[0].state

    assert state(sent=False) is State.PENDING
    assert state() is State.UNKNOWN


@pytest.mark.parametrize(
    "body",
    [
        b"",
        HTML,
        answer(line())[:-40],
        b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x "Correcto">]>' + answer(line(state="&x;")),
        with_entity(answer(line(state="&x;"))),
        with_document_type(answer(line())),
        answer(line()).replace(b"RespuestaRegFactuSistemaFacturacion", b"RespuestaConsultaFactuSistemaFacturacion"),
        answer(line()).replace(b"IDFactura>", b"IDAlgo>"),
        b"\xff\xfe\x00",
    ],
    ids=["empty", "html", "cut", "entity", "external", "dtd", "other answer", "line without id", "bytes"],
)
@pytest.mark.parametrize("status", [200, 500, 502])
def test_an_answer_that_cannot_be_read_is_unknown(body, status):
    assert only(body, status=status).state is State.UNKNOWN


@given(st.binary(max_size=200), st.integers(100, 599), st.booleans())
def test_reading_never_raises(body, status, sent):
    receipt = answers.read(Delivery(status=status, body=body, sent=sent), ONE)

    assert receipt.outcomes[0].state in {State.PENDING, State.UNKNOWN}


@given(st.integers(0, 2000), st.binary(max_size=3))
def test_a_damaged_answer_never_raises(place, damage):
    whole = answer(line(), line("FA-2", state="Incorrecto", code="1124"))
    receipt = read(whole[:place] + damage + whole[place + len(damage) :], [*ONE, ("FA-2", DAY)])

    assert len(receipt.outcomes) == 2


@pytest.mark.parametrize(
    ("code", "blame"),
    [
        ("4102", Blame.RECORD),
        ("4109", Blame.RECORD),
        ("4104", Blame.SENDER),
        ("4112", Blame.SENDER),
        ("4134", Blame.SENDER),
        ("4141", Blame.BARRED),
        ("9999", Blame.UNCLEAR),
    ],
)
def test_a_final_fault_says_who_is_to_blame(code, blame):
    receipt = read(fault("Client", f"Codigo[{code}].Texto"), status=500)

    assert (receipt.blame, receipt.code) == (blame, code)
    assert receipt.fault == f"Codigo[{code}].Texto"


def test_a_final_fault_without_a_code_blames_nobody():
    receipt = read(fault("Client", "No se admite"), status=500)

    assert (receipt.blame, receipt.code, receipt.fault) == (Blame.UNCLEAR, None, "No se admite")


def test_a_servers_fault_without_a_code_is_only_tried_again():
    receipt = read(fault("Server", "Error interno"), status=500)

    assert (receipt.fault, receipt.blame) == (None, None)
    assert receipt.outcomes[0] == Outcome(state=State.PENDING, message="Error interno")


def test_suspended_access_stops_everything_whoever_is_said_to_be_at_fault():
    assert read(fault("Server", "Codigo[4141].Suspendido"), status=500).blame is Blame.BARRED


@pytest.mark.parametrize(
    ("literal", "at"),
    [
        ("2026-11-20T10:00:00+01:00", datetime(2026, 11, 20, 9, tzinfo=UTC)),
        ("2026-11-20T09:00:00Z", datetime(2026, 11, 20, 9, tzinfo=UTC)),
        ("2026-11-20T10:00:00", None),
        ("ayer", None),
        ("", None),
    ],
)
def test_the_authoritys_clock_is_read_where_it_says_where_it_is(literal, at):
    shown = f"<r:DatosPresentacion><i:TimestampPresentacion>{literal}</i:TimestampPresentacion></r:DatosPresentacion>"

    assert read(answer(shown, line())).at == at


def test_what_is_annulled_already_is_refused_and_said_to_be_so():
    outcome = only(answer(line(state="Incorrecto", code="3001")))

    assert (outcome.state, outcome.code, outcome.struck_out) == (State.REJECTED, "3001", True)
    assert not only(answer(line(state="Incorrecto", code="3002"))).struck_out
