"""Stored bytes that are no record any more, or only look like one, are said to be none, and why."""

from datetime import UTC, date, datetime

import pytest
from spanish_documents import CHANNEL

from ledgerkit.providers.api import AuditedRecord
from ledgerkit.providers.es.verifactu import stored
from ledgerkit.providers.es.verifactu.stored import UnreadableError
from ledgerkit.providers.es.verifactu.xml import INFORMATION

PREVIOUS = (
    "<RegistroAnterior><IDEmisorFactura>12345678Z</IDEmisorFactura><NumSerieFactura>F-1</NumSerieFactura>"
    f"<FechaExpedicionFactura>20-11-2026</FechaExpedicionFactura><Huella>{'A' * 64}</Huella></RegistroAnterior>"
)
RECORD = (
    f'<RegistroAlta xmlns="{INFORMATION}"><IDVersion>1.0</IDVersion><IDFactura>'
    "<IDEmisorFactura>12345678Z</IDEmisorFactura><NumSerieFactura>F-2</NumSerieFactura>"
    "<FechaExpedicionFactura>20-11-2026</FechaExpedicionFactura></IDFactura><TipoFactura>F1</TipoFactura>"
    "<CuotaTotal>21.00</CuotaTotal><ImporteTotal>121.00</ImporteTotal>"
    f"<Encadenamiento>{PREVIOUS}</Encadenamiento>"
    "<SistemaInformatico><NumeroInstalacion>0001</NumeroInstalacion></SistemaInformatico>"
    "<FechaHoraHusoGenRegistro>2026-11-20T10:00:00+01:00</FechaHoraHusoGenRegistro>"
    f"<TipoHuella>01</TipoHuella><Huella>{'B' * 64}</Huella></RegistroAlta>"
)
TOTAL = "<ImporteTotal>121.00</ImporteTotal>"
FIRST = "<PrimerRegistro>S</PrimerRegistro>"
ODD = {
    "no XML": (RECORD, "not XML", "Start tag expected"),
    "cut off": ("</RegistroAlta>", "", "Premature end"),
    "another root": ("RegistroAlta", "RegistroEvento", "the root is"),
    "a root of another namespace": (INFORMATION, "urn:other", "the root is"),
    "a document type": ("<RegistroAlta ", "<!DOCTYPE RegistroAlta><RegistroAlta ", "document type"),
    "an element twice": (TOTAL, TOTAL + TOTAL.replace("1", "9"), "twice"),
    "an element missing": (TOTAL, "", "ImporteTotal is missing"),
    "an element of another namespace": (
        "<ImporteTotal>",
        '<ImporteTotal xmlns="urn:other">',
        "ImporteTotal is missing",
    ),
    "a first record that is not": (PREVIOUS, "<PrimerRegistro>N</PrimerRegistro>", "PrimerRegistro is not S"),
    "first and not first": (PREVIOUS, PREVIOUS + FIRST, "neither"),
    "neither first nor not": (PREVIOUS, "", "neither"),
    "a link without fingerprint": (f"<Huella>{'A' * 64}</Huella>", "", "Huella is missing"),
}


def test_a_record_is_read_as_it_is_written():
    said = stored.read(RECORD.encode())
    first = stored.read(RECORD.replace(PREVIOUS, FIRST).encode())

    assert (said.kind, said.issuer, said.number, said.gross_total) == ("issue", "12345678Z", "F-2", "121.00")
    assert said.previous is not None
    assert (said.previous.number, said.previous.fingerprint) == ("F-1", "A" * 64)
    assert first.previous is None


@pytest.mark.parametrize(("old", "new", "words"), ODD.values(), ids=ODD)
def test_an_oddly_formed_record_is_refused_with_the_reason(old, new, words):
    assert RECORD.count(old) >= 1

    with pytest.raises(UnreadableError, match=words):
        stored.read(RECORD.replace(old, new).encode())


@pytest.mark.parametrize(
    ("at", "signed", "codes"),
    [(1, False, ["03"]), (3, False, ["04", "03"]), (1, True, ["03", "02"])],
    ids=["by itself", "behind a gap", "where it should be signed"],
)
def test_place_and_signature_are_judged_even_of_bytes_that_are_no_record(at, signed, codes):
    kept = AuditedRecord(
        installation="0001",
        position=at,
        kind="issue",
        issuer_tax_id="12345678Z",
        number="F-2",
        issue_date=date(2026, 11, 20),
        content=b"not XML",
        fingerprint="B" * 64,
        generated_at=datetime(2026, 11, 20, 9, tzinfo=UTC),
        signed=signed,
    )

    found = list(CHANNEL.audits.audit([kept], None, datetime(2026, 11, 21, tzinfo=UTC)))

    assert [one.code for one in found] == codes
