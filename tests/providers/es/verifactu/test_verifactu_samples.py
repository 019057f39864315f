"""The authority's own sample records, made again by us from what they are about."""

from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path

import pytest
from lxml import etree
from spanish_documents import invoice, line
from spanish_records import SF

from ledgerkit.providers.api import (
    Annulment,
    ChainLink,
    DocumentRef,
    Environment,
    Installation,
    Party,
    PastRecord,
    Place,
    State,
)
from ledgerkit.providers.es.verifactu.channel import VerifactuChannel
from ledgerkit.providers.es.verifactu.setup import Software

SAMPLES = Path(__file__).parents[4].parent / "shared" / "spain" / "verifactu-examples" / "aeat-normalised"
DAY = date(2024, 9, 13)
ISSUER = Party(name="XXXXX", tax_id="89890001K", country="ES")
PLACE = Place(
    previous=ChainLink(
        issuer_tax_id="89890001K",
        number="44",
        issue_date=DAY,
        fingerprint="3C464DAF61ACB827C65FDA19F352A4E3BDC2C640E9E9FC4CC058073F38F12F60",
    ),
    installation=Installation(number="383", several_issuers=True),
    at=datetime.fromisoformat("2024-09-13T19:20:30+01:00"),
    environment=Environment.TEST,
)
DOCUMENT = invoice(
    line("10", "4"),
    line("100", "21"),
    number="12345",
    issue_date=DAY,
    issuer=ISSUER,
    recipient=Party(name="YYYY", tax_id="89890002E", country="ES"),
    description="Descripc",
)


class Producer:
    def software(self, environment):
        return Software(
            producer_name="SSSS",
            producer_tax_id="89890003T",
            system_name="NombreSistemaInformatico",
            system_id="77",
            version="1.0.03",
            only_reporting=False,
        )


CHANNEL = VerifactuChannel(Producer())
TAKEN = PastRecord(kind="issue", state=State.ACCEPTED)
REFUSED = replace(TAKEN, state=State.REJECTED, code="1124")
STRUCK_IN_VAIN = replace(REFUSED, kind="annul")


def leaves(root):
    """Names and texts in order; amounts as numbers, since ours have two decimals."""
    return [(etree.QName(leaf).localname, plain(leaf.text)) for leaf in root.iter() if not len(leaf)]


def plain(text):
    try:
        return Decimal(text) if "." in text or len(text) <= 3 else text
    except InvalidOperation:
        return text


def sample(name, kind):
    path = SAMPLES / f"{name}.xml"
    if not path.is_file():
        pytest.skip(f"reference material absent: {path}")
    return next(etree.parse(path, etree.XMLParser(no_network=True)).iter(SF + kind))


@pytest.mark.parametrize(
    ("name", "past"),
    [("alta-inicial", ()), ("alta-subsanacion", (TAKEN,)), ("alta-por-rechazo-X", (REFUSED,))],
)
def test_the_samples_of_issued_invoices_are_ours_but_for_the_decimals(name, past):
    expected = leaves(sample(name, "RegistroAlta"))
    made = leaves(etree.fromstring(CHANNEL.seal(DOCUMENT, PLACE, past).content))

    written = [leaf for leaf in made if leaf != ("Impuesto", Decimal(1))]
    assert written[:-1] == expected[:-1]


@pytest.mark.parametrize(
    ("name", "past"),
    [
        ("anulacion", (TAKEN,)),
        ("anulacion-por-rechazo", (TAKEN, STRUCK_IN_VAIN)),
        ("anulacion-sin-registro-previo", (REFUSED,)),
    ],
)
def test_the_samples_of_annulments_are_ours_to_the_fingerprint(name, past):
    wish = Annulment(issuer=ISSUER, document=DocumentRef(number="12345", issue_date=DAY))

    made = etree.fromstring(CHANNEL.annuls.seal(wish, PLACE, past).content)

    assert leaves(made) == leaves(sample(name, "RegistroAnulacion"))
