"""RegistroAnulacion: what it says, what it needs, and what is refused before it is made."""

from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from lxml import etree
from spanish_documents import AMERICAN, CHANNEL, CLIENT, FRENCH, ISSUER, TODAY, invoice
from spanish_records import SF, annulment_fingerprint

from ledgerkit.providers.api import (
    Annulment,
    ChainLink,
    DocumentRef,
    Environment,
    Installation,
    IssuedBy,
    PastRecord,
    Place,
    State,
)

AT = datetime(2026, 11, 20, 10, 30, 15, 987654, tzinfo=ZoneInfo("Europe/Madrid"))
PREVIOUS = ChainLink(issuer_tax_id="12345678Z", number="F2026-0009", issue_date=TODAY, fingerprint="A" * 64)
DOCUMENT = DocumentRef(number="F2026-0001", issue_date=TODAY)
ISSUED = PastRecord(kind="issue", state=State.ACCEPTED)
REJECTED = PastRecord(kind="issue", state=State.REJECTED, code="1124")
STRUCK = PastRecord(kind="annul", state=State.PENDING)
REFUSED = PastRecord(kind="annul", state=State.REJECTED, code="1227")
KEPT = replace(ISSUED, state=State.PENDING, reported=False)
PERSON = replace(CLIENT, tax_id="12345678Z")


def annulment(**changes):
    return replace(Annulment(issuer=ISSUER, document=DOCUMENT), **changes)


def place(previous=PREVIOUS, at=AT):
    installation = Installation(number="0001", several_issuers=False)
    return Place(previous=previous, installation=installation, at=at, environment=Environment.SANDBOX)


def sealed(wish=None, past=(ISSUED,), **where):
    return CHANNEL.annuls.seal(wish or annulment(), place(**where), past)


def leaves(record):
    root = etree.fromstring(record.content)
    return {etree.QName(leaf).localname: leaf.text for leaf in root.iter() if not len(leaf)}


def codes(wish, past=(ISSUED,)):
    return [problem.code for problem in CHANNEL.annuls.preflight(wish, past, TODAY)]


BY_CLIENT = annulment(generated_by=IssuedBy.RECIPIENT, generator=CLIENT)
RIGHT = {
    "by the issuer": annulment(),
    "by the issuer, named": annulment(generator=ISSUER),
    "by the recipient": BY_CLIENT,
    "by a third party abroad": annulment(generated_by=IssuedBy.THIRD_PARTY, generator=AMERICAN),
    "by a third party with a VAT number": annulment(generated_by=IssuedBy.THIRD_PARTY, generator=FRENCH),
}
HISTORIES = {
    "held": ((ISSUED,), {}),
    "rejected": ((REJECTED,), {"SinRegistroPrevio": "S"}),
    "annulment refused": ((ISSUED, REFUSED), {"RechazoPrevio": "S"}),
    "both refused": ((REJECTED, REFUSED), {"SinRegistroPrevio": "S", "RechazoPrevio": "S"}),
    "kept": ((KEPT,), {"SinRegistroPrevio": "S"}),
}


@pytest.mark.parametrize("wish", RIGHT.values(), ids=RIGHT)
@pytest.mark.parametrize(("past", "flags"), HISTORIES.values(), ids=HISTORIES)
@pytest.mark.parametrize("previous", [PREVIOUS, None], ids=["linked", "first"])
def test_every_annulment_keeps_to_the_schema_and_passes_preflight(valid, wish, past, flags, previous):
    record = sealed(wish, past, previous=previous)

    valid(record)
    assert codes(wish, past) == []
    said = leaves(record)
    assert {name: said[name] for name in ("SinRegistroPrevio", "RechazoPrevio") if name in said} == flags
    assert said["Huella"] == record.fingerprint == annulment_fingerprint(etree.fromstring(record.content))
    assert ("PrimerRegistro" in said) == (previous is None)


def test_an_annulment_names_the_invoice_as_the_invoices_own_record_does():
    issued = CHANNEL.seal(invoice(), place())
    record = sealed()

    assert record.kind == "annul"
    assert record.fiscal_id == issued.fiscal_id == "12345678Z:F2026-0001:2026-11-20"
    assert (record.number, record.issue_date, record.issuer_tax_id) == ("F2026-0001", TODAY, "12345678Z")
    assert record.qr_url is None
    said = leaves(record)
    assert [said[f"{name}Anulada"] for name in ("IDEmisorFactura", "NumSerieFactura", "FechaExpedicionFactura")] == [
        "12345678Z",
        "F2026-0001",
        "20-11-2026",
    ]
    assert said["FechaHoraHusoGenRegistro"] == "2026-11-20T10:30:15+01:00"


@pytest.mark.parametrize(
    ("wish", "role", "identity"),
    [
        (annulment(), None, None),
        (annulment(generator=ISSUER), "E", "12345678Z"),
        (BY_CLIENT, "D", "B64717838"),
        (annulment(generated_by=IssuedBy.THIRD_PARTY, generator=FRENCH), "T", "FR61954506077"),
    ],
)
def test_an_annulment_names_its_author_unless_that_is_the_issuer(wish, role, identity):
    root = etree.fromstring(sealed(wish).content)
    generator = root.find(f"{SF}Generador")

    assert root.findtext(f"{SF}GeneradoPor") == role
    assert (generator is None) == (role is None)
    if generator is not None:
        assert identity in [leaf.text for leaf in generator.iter()]


@pytest.mark.parametrize(
    ("past", "expected"),
    [
        ((), ["3002"]),
        ((REFUSED,), ["3002"]),
        ((ISSUED, STRUCK), ["3001"]),
        ((replace(ISSUED, state=State.ANNULLED),), ["3001"]),
        ((KEPT, replace(STRUCK, reported=False)), ["3001"]),
        ((ISSUED, STRUCK, ISSUED), []),
        ((ISSUED, REFUSED), []),
    ],
)
def test_there_must_be_something_to_strike_out(past, expected):
    assert codes(annulment(), past) == expected


def third(party):
    return annulment(generated_by=IssuedBy.THIRD_PARTY, generator=party)


def by_recipient(party):
    return annulment(generated_by=IssuedBy.RECIPIENT, generator=party)


@pytest.mark.parametrize(
    ("wish", "expected"),
    [
        (annulment(generated_by=IssuedBy.RECIPIENT), ["1224"]),
        (annulment(generated_by=IssuedBy.THIRD_PARTY), ["1224"]),
        (annulment(generator=FRENCH), ["1227"]),
        (third(ISSUER), ["1259"]),
        (by_recipient(ISSUER), ["1259"]),
        (third(replace(CLIENT, tax_id="B64717839")), ["1258"]),
        (third(replace(CLIENT, name=" ")), ["1100"]),
        (third(replace(AMERICAN, tax_id="X" * 21)), ["1222"]),
        (third(replace(PERSON, tax_id_kind="not_registered")), ["1229"]),
        (third(replace(PERSON, tax_id="X1", tax_id_kind="official_id")), ["1232"]),
        (by_recipient(replace(PERSON, tax_id="X1", tax_id_kind="residence_certificate")), ["1234"]),
        (by_recipient(replace(PERSON, tax_id="X1", tax_id_kind="passport")), []),
        (by_recipient(replace(PERSON, tax_id_kind="not_registered")), []),
        (annulment(issuer=replace(ISSUER, tax_id="12345678A")), ["4116"]),
    ],
)
def test_who_strikes_it_out_is_judged_as_the_authority_would(wish, expected):
    found = CHANNEL.annuls.preflight(wish, (ISSUED,), TODAY)

    assert [problem.code for problem in found] == expected
    for problem in found:
        assert problem.translations["en"].message == problem.message
        assert problem.translations["es"].message != problem.message


def test_nothing_is_sealed_over_nothing():
    with pytest.raises(ValueError, match="without any record"):
        sealed(past=())


def test_an_instant_without_offset_is_our_mistake():
    with pytest.raises(ValueError, match="UTC offset"):
        sealed(at=datetime(2026, 11, 20, 10, 30))  # noqa: DTZ001 - the mistake under test
