"""Answers of the sandbox to a message: results in order, receipt, echo, faults."""

import re

import pytest
import sandbox_messages as sent
from sandbox_messages import ISSUER, alta, anulacion, chain_of, envelope, line, message, record_xml, system, xml

from ledgerkit.providers.es.sandbox.answers import describe

CREDENTIALS = {"NombreRazon": "Emisor SL", "NIF": ISSUER}
ALTA = f"<sum:RegistroFactura>{record_xml(alta())}</sum:RegistroFactura>"
CABECERA = f"<sum:Cabecera>{xml({'ObligadoEmision': CREDENTIALS})}</sum:Cabecera>"


async def test_a_right_record_is_stored_and_gets_a_receipt(authority, send):
    answer = await send(alta())

    assert answer.status == 200
    assert answer.text("EstadoEnvio") == "Correcto"
    assert answer.states == ["Correcto"]
    assert re.fullmatch("SBX-[A-Z2-9]{16}", answer.text("CSV"))
    assert [entry.state for entry in authority.records(ISSUER)] == ["Correcta"]


async def test_every_receipt_is_another_one(send):
    first, second, third = chain_of(3)

    receipts = {(await send(record)).text("CSV") for record in (first, second, third)}

    assert len(receipts) == 3


async def test_a_mixed_message_is_partially_right_and_answered_in_its_order(send):
    first = alta("F1")
    wrong = alta("F2", previous=first, lines=[line(TipoImpositivo="16")])
    remarked = alta("F3", previous=wrong, ImporteTotal="999.00")

    answer = await send(first, wrong, remarked)

    assert answer.text("EstadoEnvio") == "ParcialmenteCorrecto"
    assert [each.number for each in answer.lines] == ["F1", "F2", "F3"]
    assert answer.states == ["Correcto", "Incorrecto", "AceptadoConErrores"]
    assert answer.codes == [None, 1124, 2005]
    assert answer.text("CSV")


async def test_a_message_of_which_nothing_is_stored_has_no_receipt(authority, send):
    answer = await send(alta(Destinatarios=None))

    assert answer.text("EstadoEnvio") == "Incorrecto"
    assert answer.text("CSV") is None
    assert authority.records(ISSUER) == ()


async def test_a_result_says_in_spanish_what_is_wrong(send):
    answer = await send(alta(FechaHoraHusoGenRegistro="2026-01-01T00:00:00+01:00"))

    assert (answer.lines[0].code, answer.lines[0].text) == (2004, describe(2004))
    assert "240 segundos" in answer.lines[0].text


async def test_operation_and_reference_are_echoed(send):
    record = alta(RefExterna="order 7")
    await send(record)

    amended = await send(alta(previous=record, Subsanacion="S", RechazoPrevio="S", RefExterna="order 7"))
    annulled = await send(anulacion(previous=record, RechazoPrevio="S"))

    assert amended.lines[0].operation == {"TipoOperacion": "Alta", "Subsanacion": "S", "RechazoPrevio": "S"}
    assert amended.text("RefExterna") == "order 7"
    assert annulled.lines[0].operation == {"TipoOperacion": "Anulacion", "RechazoPrevio": "S"}


async def test_the_header_is_echoed_with_representative_and_incident(send):
    header = {
        "ObligadoEmision": CREDENTIALS,
        "Representante": {"NombreRazon": "Gestoría & Co", "NIF": sent.RECIPIENT},
        "RemisionVoluntaria": {"FechaFinVeriFactu": f"31-12-{sent.now():%Y}", "Incidencia": "S"},
    }

    answer = await send(alta(), header=header)

    echo = answer.root.find(f".//{{{sent.ANSWER}}}Cabecera")
    expected = ["Emisor SL", ISSUER, "Gestoría & Co", sent.RECIPIENT, f"31-12-{sent.now():%Y}", "S"]
    assert [leaf.text for leaf in echo.iter() if not len(leaf)] == expected
    assert answer.root.findtext(f".//{{{sent.SF}}}NIFPresentador") == sent.RECIPIENT


async def test_the_pause_asked_for_is_none_and_can_be_set(authority, send):
    first, second = chain_of(2)

    before = await send(first)
    authority.wait_seconds = 60
    after = await send(second)

    assert (before.text("TiempoEsperaEnvio"), after.text("TiempoEsperaEnvio")) == ("0", "60")


async def test_a_thousand_records_are_answered_in_order(send):
    records = chain_of(1000)

    answer = await send(*records)

    assert answer.text("EstadoEnvio") == "Correcto"
    assert [each.number for each in answer.lines] == [r["IDFactura"]["NumSerieFactura"] for r in records]


HEADERS = [
    (4116, {"ObligadoEmision": {"NombreRazon": "E", "NIF": "89890001A"}}),
    (4116, {"ObligadoEmision": {"NombreRazon": "E", "NIF": "8989"}}),
    (4102, {"ObligadoEmision": {"NIF": ISSUER}}),
    (4102, {"ObligadoEmision": {"NombreRazon": "", "NIF": ISSUER}}),
    (4117, {"ObligadoEmision": CREDENTIALS, "Representante": {"NombreRazon": "R", "NIF": "89890002A"}}),
    (4120, {"ObligadoEmision": CREDENTIALS, "RemisionVoluntaria": {"FechaFinVeriFactu": "31-12-2020"}}),
    (4121, {"ObligadoEmision": CREDENTIALS, "RemisionVoluntaria": {"Incidencia": "X"}}),
    (4126, {"ObligadoEmision": CREDENTIALS, "RemisionRequerimiento": {"RefRequerimiento": "R1"}}),
]


@pytest.mark.parametrize(("code", "header"), HEADERS, ids=[f"{code}-{n}" for n, (code, _) in enumerate(HEADERS)])
async def test_a_wrong_header_refuses_the_whole_message(authority, send, code, header):
    answer = await send(alta(), header=header)

    assert answer.fault[0] == "env:Client"
    assert answer.fault[1].startswith(f"Codigo[{code}].")
    assert authority.records(ISSUER) == ()


WHOLES = {
    "empty": (4138, b""),
    "blank": (4138, b" \n"),
    "no XML": (4103, b"hello"),
    "cut short": (4103, message(alta())[:-20]),
    "latin-1": (4119, message(alta(NombreRazonEmisor="Peña")).decode().encode("latin-1")),
    "UTF-16": (4119, message(alta()).decode().replace("UTF-8", "UTF-16").encode("utf-16")),
    "UTF-16 without mark": (4119, message(alta()).decode().encode("utf-16-le")),
    "says latin-1": (4119, message(alta()).replace(b'"UTF-8"', b'"ISO-8859-1"')),
    "no envelope": (4103, b"<RegFactuSistemaFacturacion/>"),
    "empty body": (4138, envelope("")),
    "a query": (4102, envelope("<sum:ConsultaFactuSistemaFacturacion/>")),
    "no header": (4102, envelope(f"<sum:RegFactuSistemaFacturacion>{ALTA}</sum:RegFactuSistemaFacturacion>")),
    "no record": (4102, message()),
    "an empty record": (4102, message().replace(b"</sum:Reg", b"<sum:RegistroFactura/></sum:Reg")),
    "too many records": (
        4114,
        envelope(f"<sum:RegFactuSistemaFacturacion>{CABECERA}{ALTA * 1001}</sum:RegFactuSistemaFacturacion>"),
    ),
    "record of the wrong namespace": (4136, message(alta()).replace(b"sum1:RegistroAlta", b"sum:RegistroAlta")),
    "annulment of the wrong namespace": (
        4137,
        message(anulacion()).replace(b"sum1:RegistroAnulacion", b"sum:RegistroAnulacion"),
    ),
    "field of the wrong namespace": (4102, message(alta()).replace(b"sum1:TipoHuella", b"sum:TipoHuella")),
    "missing field": (4102, message(alta(DescripcionOperacion=None))),
    "missing inner field": (4102, message(alta(SistemaInformatico=system(Version=None)))),
    "empty number": (4102, message(alta(""))),
    "short NIF": (4109, message(alta(IDFactura=sent.invoice(issuer="8989")))),
    "date the other way round": (4106, message(alta(IDFactura=sent.invoice(day="2026-01-31")))),
    "thirteen lines": (4113, message(alta(lines=[line()] * 13))),
    "text between fields": (4102, message(alta()).replace(b"<sum1:IDVersion>", b"text<sum1:IDVersion>")),
    "field inside a value": (4102, message(alta()).replace(b">1.0<", b"><sum1:X/><")),
    "twice the same field": (
        4102,
        message(alta()).replace(b"<sum1:CuotaTotal>", b"<sum1:CuotaTotal>1</sum1:CuotaTotal><sum1:CuotaTotal>"),
    ),
}


@pytest.mark.parametrize(("code", "content"), WHOLES.values(), ids=WHOLES)
async def test_a_message_that_is_not_one_is_refused_with_a_fault(authority, post, code, content):
    answer = await post(content)

    assert answer.status == 500
    assert answer.fault[0] == ("env:Server" if code == 4103 else "env:Client")
    assert answer.fault[1].startswith(f"Codigo[{code}].")
    assert authority.records(ISSUER) == ()


async def test_fields_out_of_order_are_refused_and_the_first_one_is_named(post):
    swapped = {"NombreRazonEmisor": "Emisor SL"}
    record = alta()
    wrong = swapped | {name: value for name, value in record.items() if name not in swapped}

    answer = await post(message(wrong))

    assert answer.fault[1] == f"Codigo[4102].{describe(4102)}: IDVersion"


async def test_white_space_comments_and_a_signature_do_not_matter(post):
    content = (
        message(alta())
        .replace(b"<sum1:", b"\n  <!-- c --><sum1:")
        .replace(
            b"</sum1:RegistroAlta>",
            b'<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:SignedInfo/></ds:Signature></sum1:RegistroAlta>',
        )
    )

    assert (await post(content)).states == ["Correcto"]


async def test_ends_of_texts_are_trimmed_before_the_fingerprint(post):
    content = message(alta()).replace(b">121.00<", b"> 121.00\n<")

    assert (await post(content)).codes == [None]


ENTITIES = {
    "laughs": b'<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]>',
    "outside file": b'<!DOCTYPE l [<!ENTITY c SYSTEM "file:///etc/hostname">]>',
    "outside definition": b'<!DOCTYPE l SYSTEM "http://127.0.0.1:1/l.dtd">',
    "empty definition": b"<!DOCTYPE l>",
}


@pytest.mark.parametrize("prologue", ENTITIES.values(), ids=ENTITIES)
async def test_entities_and_document_types_are_refused(authority, post, prologue):
    plain = message(alta(NombreRazonEmisor="NAME"))
    content = plain.replace(b"?>", b"?>" + prologue, 1).replace(b"NAME", b"&c;" if b"ENTITY" in prologue else b"NAME")

    answer = await post(content)

    assert answer.fault[1].startswith("Codigo[4103].")
    assert authority.records(ISSUER) == ()


async def test_deep_nesting_is_refused(post):
    answer = await post(envelope("<sum:a>" * 5000 + "</sum:a>" * 5000))

    assert answer.fault[1].startswith("Codigo[4103].")


async def test_answers_fit_the_official_schema(schema, send):
    if schema is None:
        pytest.skip("the official schemas are not here (../shared), so no answer is held against them")

    answer = await send(alta("N" * 61), alta(RefExterna="R" * 61, Subsanacion="X"), alta(), alta())

    assert answer.codes == [1104, 1253, None, 3000]
    schema.assertValid(answer.root.find(f".//{{{sent.ANSWER}}}RespuestaRegFactuSistemaFacturacion"))
