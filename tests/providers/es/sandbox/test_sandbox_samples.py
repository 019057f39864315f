"""The authority against the tax agency's own samples and fingerprints."""

from datetime import date

import pytest
from lxml import etree
from sandbox_client import Answer
from sandbox_messages import ISSUER, SF, envelope

from ledgerkit.providers.es.sandbox.reading import read
from ledgerkit.providers.es.sandbox.rules import fingerprint

SAMPLES = {
    "alta-inicial": [1152],
    "alta-subsanacion": [1152],
    "alta-por-rechazo-X": [1152],
    "anulacion": [3002],
    "anulacion-por-rechazo": [3002],
    "anulacion-sin-registro-previo": [2004],
    "lote-3-registros": [1152, 3002, 1152],
}
CARRIER = envelope(
    "<sum:RegFactuSistemaFacturacion><sum:Cabecera><sum1:ObligadoEmision><sum1:NombreRazon>E</sum1:NombreRazon>"
    f"<sum1:NIF>{ISSUER}</sum1:NIF></sum1:ObligadoEmision></sum:Cabecera>"
    "<sum:RegistroFactura>RECORD</sum:RegistroFactura></sum:RegFactuSistemaFacturacion>"
)


@pytest.mark.parametrize(("name", "expected"), SAMPLES.items(), ids=SAMPLES)
async def test_official_samples_are_understood_and_judged_by_their_dates(samples, post, name, expected):
    answer = await post((samples / "aeat-normalised" / f"{name}.xml").read_bytes())

    assert answer.codes == expected


@pytest.mark.parametrize("name", ["requerimiento-alta", "requerimiento-anulacion", "requerimiento-subsanacion"])
async def test_official_samples_of_the_other_service_are_sent_there(samples, post, name):
    answer = await post((samples / "aeat-normalised" / f"{name}.xml").read_bytes())

    assert answer.fault[1].startswith("Codigo[4126]")


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("consulta-emisor-peticion", None),
        ("consulta-filtro-rango-fechas", None),
        ("consulta-filtro-contraparte", None),
        ("consulta-destinatario-paginada", "4140"),
    ],
)
async def test_official_queries_are_answered_those_of_recipients_not(samples, authority, client, name, code):
    content = (samples / "aeat-normalised" / f"{name}.xml").read_bytes()

    answer = Answer(await client.post(authority.access.url, content=content))

    assert (answer.fault and answer.fault[1].startswith(f"Codigo[{code}]")) == (True if code else None)


async def test_official_samples_with_placeholders_are_refused_for_their_nif(samples, post):
    answer = await post((samples / "aeat-literal" / "alta-inicial.xml").read_bytes())

    assert answer.fault[1].startswith("Codigo[4116]")


def test_fingerprints_of_all_official_samples_are_recomputed(samples):
    files = [*(samples / "aeat-normalised").glob("*.xml"), *(samples / "signed").glob("*.xml")]
    found = {}
    for file in files:
        root = etree.parse(file, etree.XMLParser(no_network=True)).getroot()
        for element in root.iter(f"{{{SF}}}RegistroAlta", f"{{{SF}}}RegistroAnulacion"):
            text = etree.tostring(element, encoding="unicode", with_tail=False)
            (record,) = read(CARRIER.replace(b"RECORD", text.encode()), date(2026, 3, 1)).records
            found[f"{file.name} {record.number}"] = (fingerprint(record), record.fingerprint)

    assert len(found) >= 12
    assert {name for name, (computed, stated) in found.items() if computed != stated} == set()
