"""Cabecera: who sends, for whom, and why now."""

from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest
from lxml import etree
from spanish_documents import CHANNEL, CLIENT, ISSUER, invoice
from spanish_records import SF

from ledgerkit.providers.api import AuthorityRequest, Environment, Heading, Installation, Place
from ledgerkit.providers.es.verifactu.xml import SOAP, SUBMISSION

PLACE = Place(
    previous=None,
    installation=Installation(number="1", several_issuers=False),
    at=datetime(2026, 11, 20, 10, 30, tzinfo=ZoneInfo("Europe/Madrid")),
    environment=Environment.SANDBOX,
)
DEMAND = AuthorityRequest(reference="REQ-2026-7", last=True)
HEADINGS = {
    "plain": ({}, []),
    "late": ({"late": True}, [("Incidencia", "S")]),
    "for another": ({"representative": CLIENT}, [("NombreRazon", "Acme SL"), ("NIF", "B64717838")]),
    "leaving": ({"until": date(2026, 12, 31)}, [("FechaFinVeriFactu", "31-12-2026")]),
    "leaving late": (
        {"until": date(2026, 12, 31), "late": True},
        [("FechaFinVeriFactu", "31-12-2026"), ("Incidencia", "S")],
    ),
    "on demand": (
        {"request": AuthorityRequest(reference="REQ-2026-7", last=False)},
        [("RefRequerimiento", "REQ-2026-7")],
    ),
    "on demand, the last": ({"request": DEMAND}, [("RefRequerimiento", "REQ-2026-7"), ("FinRequerimiento", "S")]),
    "on demand, for another": (
        {"request": DEMAND, "representative": CLIENT},
        [
            ("NombreRazon", "Acme SL"),
            ("NIF", "B64717838"),
            ("RefRequerimiento", "REQ-2026-7"),
            ("FinRequerimiento", "S"),
        ],
    ),
}


@pytest.mark.parametrize(("said", "expected"), HEADINGS.values(), ids=HEADINGS)
def test_a_heading_says_what_it_was_told_and_no_more(schema_of_messages, said, expected):
    message = CHANNEL.message(Heading(issuer=ISSUER, **said), [CHANNEL.seal(invoice(), PLACE).content])
    (submission,) = etree.fromstring(message).find(f"{{{SOAP}}}Body")
    schema_of_messages.assertValid(submission)

    header = submission.find(f"{{{SUBMISSION}}}Cabecera")
    leaves = [(etree.QName(leaf).localname, leaf.text) for leaf in header.iter() if not len(leaf)]

    assert leaves == [("NombreRazon", "Ana García"), ("NIF", "12345678Z"), *expected]
    assert (header.find(f"{SF}RemisionVoluntaria") is None) == (not {"late", "until"} & set(said))


@pytest.mark.parametrize("said", [{"late": True}, {"until": date(2026, 12, 31)}])
def test_an_answer_to_a_demand_is_not_voluntary(said):
    with pytest.raises(ValueError, match="answer to a demand"):
        CHANNEL.message(Heading(issuer=ISSUER, request=DEMAND, **said), [b"<a/>"])
