"""The sandbox's service for answers to demands: whose signatures hold, and which headings it takes."""

import pytest
from lxml import etree
from spanish_documents import CHANNEL, ISSUER
from spanish_signatures import kept, numbered, unsigned

from ledgerkit.providers.api import AuthorityRequest, Heading
from ledgerkit.providers.es.verifactu import blocks, xml

ANSWER = "{https://www2.agenciatributaria.gob.es/static_files/common/internet/dep/aplicaciones/es/aeat/tike/cont/ws/"
HEADERS = {"Content-Type": "text/xml; charset=utf-8", "SOAPAction": '""'}
DEMAND = Heading(issuer=ISSUER, request=AuthorityRequest(reference="REQ1", last=True))


@pytest.fixture
def ask(authority, client):
    """Results of the service for each record of a message, or for the message."""

    async def asked(message: bytes) -> list[tuple[str, str]] | str:
        url = authority.access.url.replace("VerifactuSOAP", "RequerimientoSOAP")
        root = etree.fromstring((await client.post(url, content=message, headers=HEADERS)).content)
        fault = root.findtext(".//faultstring")
        if fault is not None:
            return fault[: fault.index("]") + 1]
        lines = root.iter(f"{ANSWER}RespuestaSuministro.xsd}}RespuestaLinea")
        names = [f"{ANSWER}RespuestaSuministro.xsd}}{name}" for name in ("EstadoRegistro", "CodigoErrorRegistro")]
        return [(line.findtext(names[0]), line.findtext(names[1], "")) for line in lines]

    return asked


async def test_signed_records_are_taken_and_nothing_is_registered(authority, ask):
    records = [kept(numbered(ordinal)).content for ordinal in (1, 2)]

    said = await ask(CHANNEL.message(DEMAND, records))

    assert said == [("Correcto", ""), ("Correcto", "")]
    assert authority.records(ISSUER.tax_id) == ()


async def test_unsigned_and_changed_records_are_not(ask):
    changed = kept().content.replace(b"Consultor", b"Consultar", 1)

    said = await ask(CHANNEL.message(DEMAND, [kept().content, unsigned().content, changed]))

    assert said == [("Correcto", ""), ("Incorrecto", "1100"), ("Incorrecto", "1100")]


async def test_a_signature_that_does_not_hold_where_it_stands_is_not_taken(ask):
    """The usual envelope declares prefixes, and inclusive canonical form takes them along."""
    assert await ask(xml.envelope(blocks.header(DEMAND), [kept().content])) == [("Incorrecto", "1100")]


@pytest.mark.parametrize(
    ("heading", "code"),
    [
        (Heading(issuer=ISSUER), "Codigo[4125]"),
        (Heading(issuer=ISSUER, late=True), "Codigo[4127]"),
        (Heading(issuer=ISSUER, request=AuthorityRequest(reference="A/1", last=False)), "Codigo[4133]"),
        (Heading(issuer=ISSUER, request=AuthorityRequest(reference="A" * 19, last=False)), "Codigo[4122]"),
    ],
)
async def test_a_heading_that_is_not_one_of_a_demand_is_a_fault(ask, heading, code):
    assert await ask(CHANNEL.message(heading, [kept().content])) == code


async def test_the_usual_service_takes_no_answers_to_demands(authority, client):
    message = CHANNEL.message(DEMAND, [kept().content])

    answer = await client.post(authority.access.url, content=message, headers=HEADERS)

    assert b"Codigo[4126]" in answer.content
