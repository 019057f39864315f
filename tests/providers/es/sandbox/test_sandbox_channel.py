"""Ledgerkit's own channel against the authority, through nothing but the provider's public seam."""

from datetime import timedelta
from decimal import Decimal
from importlib import import_module
from zoneinfo import ZoneInfo

import pytest
from sandbox_messages import now

from ledgerkit.providers.api import (
    ChainLink,
    Correction,
    Document,
    DocumentKind,
    DocumentRef,
    Environment,
    Heading,
    Installation,
    Party,
    Place,
    State,
    TaxCategory,
    TaxLine,
)
from ledgerkit.providers.es import country

ISSUER = Party(name="Emisor & Hijos SL", tax_id="89890001K", country="ES")
CLIENT = Party(name="Cliente SA", tax_id="89890002E", country="ES")
GERMAN = Party(name="Kunde GmbH", tax_id="DE123456789", country="DE")
AMERICAN = Party(name="Customer Inc", tax_id="12-3456789", country="US")
ONE = Installation(number="1", several_issuers=False)


def tax(category, base="100.00", rate="0", **more):
    base, rate = Decimal(base), Decimal(rate)
    return TaxLine(category=category, rate=rate, base=base, amount=(base * rate / 100).quantize(base), **more)


def document(number, *taxes, kind=DocumentKind.INVOICE, recipient=CLIENT, correction=None, description="Servicios"):
    surcharge = sum((each.surcharge_amount for each in taxes), Decimal("0.00"))
    tax_total = sum((each.amount for each in taxes), surcharge)
    gross = sum((each.base for each in taxes), tax_total)
    return Document(
        kind=kind,
        number=number,
        issue_date=now().date(),
        operation_date=None,
        issuer=ISSUER,
        recipient=recipient,
        currency="EUR",
        description=description,
        taxes=taxes,
        tax_total=tax_total,
        gross_total=gross,
        retention=Decimal("0.00"),
        payable=gross,
        correction=correction,
    )


GENERAL = tax(TaxCategory.STANDARD, rate="21")
DOCUMENTS = [
    document("F2026-0001", GENERAL, tax(TaxCategory.STANDARD, rate="10"), tax(TaxCategory.STANDARD, rate="4")),
    document("S2026-0001", GENERAL, kind=DocumentKind.SIMPLIFIED, recipient=None),
    document("F2026-0002", tax(TaxCategory.EXEMPT, exemption_code="E1")),
    document("F2026-0003", tax(TaxCategory.REVERSE_CHARGE)),
    document("F2026-0004", tax(TaxCategory.INTRA_EU_SERVICES), recipient=GERMAN),
    document("F2026-0005", tax(TaxCategory.INTRA_EU_GOODS), recipient=GERMAN),
    document("F2026-0006", tax(TaxCategory.EXPORT), recipient=AMERICAN),
    document("F2026-0007", tax(TaxCategory.NOT_SUBJECT, not_subject_reason="location_rules"), recipient=AMERICAN),
    document(
        "F2026-0008",
        tax(
            TaxCategory.STANDARD,
            rate="21",
            surcharge_rate=Decimal("5.2"),
            surcharge_amount=Decimal("5.20"),
        ),
    ),
    document(
        "R2026-0001",
        tax(TaxCategory.STANDARD, base="-100.00", rate="21"),
        kind=DocumentKind.CREDIT_NOTE,
        correction=Correction(documents=(DocumentRef(number="F2026-0001", issue_date=now().date()),)),
    ),
]


@pytest.fixture
def channel(authority):
    return country.channels[0].connect_sandbox(authority.access)


def sealed_chain(channel, documents, at=None):
    records = []
    for each in documents:
        last = records[-1] if records else None
        link = last and ChainLink(
            issuer_tax_id=last.issuer_tax_id,
            number=last.number,
            issue_date=last.issue_date,
            fingerprint=last.fingerprint,
        )
        at = at or now().astimezone(ZoneInfo(country.time_zone))
        place = Place(previous=link, installation=ONE, at=at, environment=Environment.SANDBOX)
        records.append(channel.seal(each, place))
    return records


async def sent(channel, records, *, late=False, timeout_seconds=60.0):
    message = channel.message(Heading(issuer=ISSUER, late=late), [record.content for record in records])
    delivery = await channel.deliver(message, Environment.SANDBOX, timeout_seconds=timeout_seconds)
    return channel.read(delivery, [(record.number, record.issue_date) for record in records])


def test_the_country_names_this_sandbox():
    module, _, function = country.sandbox.partition(":")

    assert callable(getattr(import_module(module), function))


async def test_every_kind_of_document_is_accepted_in_one_unbroken_chain(authority, channel):
    for each in DOCUMENTS:
        assert list(channel.preflight(each, now().date())) == []
    records = sealed_chain(channel, DOCUMENTS)

    receipt = await sent(channel, records)

    assert [(each.state, each.code) for each in receipt.outcomes] == [(State.ACCEPTED, None)] * len(DOCUMENTS)
    assert receipt.reference.startswith("SBX-")
    assert authority.chain_breaks("89890001K") == ()


async def test_a_late_message_is_excused(channel):
    records = sealed_chain(channel, DOCUMENTS[:1], at=now() - timedelta(hours=5))

    receipt = await sent(channel, records, late=True)

    assert [each.state for each in receipt.outcomes] == [State.ACCEPTED]


@pytest.mark.parametrize(
    ("marker", "state", "code"),
    [
        ("[sandbox:reject 1124]", State.REJECTED, "1124"),
        ("[sandbox:warn 2001]", State.ACCEPTED_WITH_ERRORS, "2001"),
    ],
)
async def test_a_marker_in_the_description_reaches_the_authority(channel, marker, state, code):
    records = sealed_chain(channel, [document("F2026-0001", GENERAL, description=marker)])

    (outcome,) = (await sent(channel, records)).outcomes

    assert (outcome.state, outcome.code) == (state, code)


async def test_a_lost_answer_is_made_good_by_sending_again(authority, channel):
    records = sealed_chain(channel, [document("F2026-0001", GENERAL, description="[sandbox:lost]")])

    lost, again = await sent(channel, records), await sent(channel, records, late=True)

    assert [each.state for each in lost.outcomes] == [State.UNKNOWN]
    assert [(each.duplicate, each.held and each.held.state) for each in again.outcomes] == [(True, State.ACCEPTED)]
    assert len(authority.records("89890001K")) == 1
