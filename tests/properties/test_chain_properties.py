"""Chains of records hold for any sequence of documents, and show every change of what they seal."""

from datetime import date, datetime, timedelta
from decimal import Decimal
from hashlib import sha256
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from ledgerkit.providers.api import (
    ChainLink,
    Document,
    DocumentKind,
    Environment,
    Installation,
    Party,
    Place,
    SealedRecord,
    TaxCategory,
    TaxLine,
)
from ledgerkit.providers.es.verifactu.channel import VerifactuChannel
from ledgerkit.providers.es.verifactu.settings import VerifactuSettings
from support.sampling import examples

CHANNEL = VerifactuChannel(VerifactuSettings(_env_file=None))
START = datetime(2026, 11, 20, 9, 30, tzinfo=ZoneInfo("Europe/Madrid"))
ISSUER = Party(name="Ana García", tax_id="12345678Z", country="ES")
CLIENT = Party(name="Acme SL", tax_id="B64717838", country="ES")
SEALED = (
    "IDFactura/IDEmisorFactura",
    "IDFactura/NumSerieFactura",
    "IDFactura/FechaExpedicionFactura",
    "TipoFactura",
    "CuotaTotal",
    "ImporteTotal",
    "Encadenamiento/RegistroAnterior/Huella",
    "FechaHoraHusoGenRegistro",
)
"""The leaves over which the fingerprint is made, in its order. Source: AEAT, fingerprint specification 0.1.2."""

CENTS = st.integers(-9_999_999, 9_999_999).map(lambda cents: Decimal(cents).scaleb(-2))
DESCRIPTIONS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=40)


@st.composite
def documents(draw) -> list[tuple[Document, int]]:
    """Up to eight documents with the seconds that pass before each."""
    found = draw(st.lists(st.tuples(CENTS, DESCRIPTIONS, st.integers(0, 90_000)), min_size=1, max_size=8))
    return [(invoice(ordinal, *values[:2]), values[2]) for ordinal, values in enumerate(found, start=1)]


def invoice(ordinal: int, base: Decimal, description: str) -> Document:
    tax = (base * 21 / 100).quantize(Decimal("0.01"))
    return Document(
        kind=DocumentKind.INVOICE,
        number=f"F2026-{ordinal:04d}",
        issue_date=date(2026, 11, 20),
        operation_date=None,
        issuer=ISSUER,
        recipient=CLIENT,
        currency="EUR",
        description=description,
        taxes=(TaxLine(category=TaxCategory.STANDARD, rate=Decimal(21), base=base, amount=tax),),
        tax_total=tax,
        gross_total=base + tax,
        retention=Decimal("0.00"),
        payable=base + tax,
    )


def chain(found: list[tuple[Document, int]]) -> list[SealedRecord]:
    records: list[SealedRecord] = []
    at, here = START, Installation(number="0001", several_issuers=False)
    for document, seconds in found:
        at += timedelta(seconds=seconds)
        previous = link(records[-1]) if records else None
        records.append(
            CHANNEL.seal(document, Place(previous=previous, installation=here, at=at, environment=Environment.SANDBOX))
        )
    return records


def link(record: SealedRecord) -> ChainLink:
    return ChainLink(
        issuer_tax_id=record.issuer_tax_id,
        number=record.number,
        issue_date=record.issue_date,
        fingerprint=record.fingerprint,
    )


def leaf(root: etree._Element, path: str) -> etree._Element | None:
    return root.find("/".join(f"{{*}}{name}" for name in path.split("/")))


def recomputed(root: etree._Element) -> str:
    """The fingerprint over the record's own leaves, by nothing of ours."""
    values = []
    for path in SEALED:
        found = leaf(root, path)
        values.append(f"{path.rpartition('/')[2]}={'' if found is None else found.text}")
    return sha256("&".join(values).encode()).hexdigest().upper()


def parsed(record: SealedRecord) -> etree._Element:
    return etree.fromstring(record.content)


@settings(max_examples=examples(100), deadline=None)
@given(documents())
def test_any_sequence_of_documents_makes_a_chain_that_verifies(found):
    previous = ""
    for record in chain(found):
        root = parsed(record)
        carried = leaf(root, "Encadenamiento/RegistroAnterior/Huella")

        assert ("" if carried is None else carried.text) == previous
        assert (leaf(root, "Encadenamiento/PrimerRegistro") is not None) == (previous == "")
        assert recomputed(root) == record.fingerprint == root.findtext("{*}Huella")
        previous = record.fingerprint


@settings(max_examples=examples(100), deadline=None)
@given(documents(), st.data())
def test_changing_any_character_of_what_is_sealed_is_found_by_recomputation(found, data):
    root = parsed(data.draw(st.sampled_from(chain(found))))
    sealed = [one for path in SEALED if (one := leaf(root, path)) is not None]
    changed = data.draw(st.sampled_from(sealed))
    place = data.draw(st.integers(0, len(changed.text) - 1))
    other = data.draw(st.sampled_from("0123456789ABCDEFXYZ-+.").filter(lambda one: one != changed.text[place]))

    changed.text = changed.text[:place] + other + changed.text[place + 1 :]

    assert recomputed(root) != root.findtext("{*}Huella")


@settings(max_examples=examples(50), deadline=None)
@given(documents(), st.data())
def test_leaving_a_record_out_or_exchanging_two_breaks_the_links(found, data):
    records = chain(found)
    order = data.draw(st.permutations(range(len(records))))
    kept = order[: data.draw(st.integers(1, len(order)))]

    linked = [carried(records[place]) for place in kept] == ["", *(records[place].fingerprint for place in kept[:-1])]

    assert linked == (list(kept) == list(range(len(kept))))


def carried(record: SealedRecord) -> str:
    found = leaf(parsed(record), "Encadenamiento/RegistroAnterior/Huella")
    return "" if found is None else str(found.text)
