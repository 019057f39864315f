"""The life of an invoice between ledgerkit's records and the authority: put right, struck out, revived."""

from dataclasses import replace
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from sandbox_messages import now
from spanish_documents import AMERICAN, CLIENT, credit_note, invoice, line, simplified

from ledgerkit.providers.api import (
    Annulment,
    ChainLink,
    Correction,
    DocumentRef,
    Environment,
    Heading,
    Installation,
    IssuedBy,
    PastRecord,
    Place,
    State,
    TaxCategory,
)
from ledgerkit.providers.es import country

NIF = "12345678Z"


class Office:
    """Seals one record after the other, sends each, and remembers what the authority said."""

    def __init__(self, channel):
        self.channel = channel
        self.last = None
        self.past = {}

    async def issue(self, document, *, marker="", sending=True):
        document = replace(document, issue_date=now().date(), description=f"Servicios {marker}")
        past = self.past.get(document.number, ())
        return await self._made(document, self.channel.seal(document, self._place(), past), past, sending=sending)

    async def annul(self, document, **by):
        wish = Annulment(
            issuer=document.issuer, document=DocumentRef(number=document.number, issue_date=now().date()), **by
        )
        past = self.past[document.number]
        assert list(self.channel.annuls.preflight(wish, past, now().date())) == []
        return await self._made(document, self.channel.annuls.seal(wish, self._place(), past), past)

    def _place(self):
        last = self.last
        link = last and ChainLink(
            issuer_tax_id=last.issuer_tax_id,
            number=last.number,
            issue_date=last.issue_date,
            fingerprint=last.fingerprint,
        )
        at = now().astimezone(ZoneInfo(country.time_zone))
        installation = Installation(number="1", several_issuers=False)
        return Place(previous=link, installation=installation, at=at, environment=Environment.SANDBOX)

    async def _made(self, document, record, past, *, sending=True):
        self.last = record
        if not sending:
            return None
        message = self.channel.message(Heading(issuer=document.issuer), [record.content])
        delivery = await self.channel.deliver(message, Environment.SANDBOX, timeout_seconds=60)
        (outcome,) = self.channel.read(delivery, [(record.number, record.issue_date)]).outcomes
        said = PastRecord(kind=record.kind, state=outcome.state, code=outcome.code)
        self.past[document.number] = (*past, said)
        return outcome.code


@pytest.fixture
def office(authority):
    return Office(country.channels[0].connect_sandbox(authority.access))


async def test_a_refused_invoice_is_put_right_until_it_is_taken(authority, office):
    assert await office.issue(invoice(), marker="[sandbox:reject 1124]") == "1124"
    assert await office.issue(invoice(), marker="[sandbox:reject 1142]") == "1142"

    assert await office.issue(invoice()) is None

    assert [entry.state for entry in authority.records(NIF)] == ["Correcta"]
    assert authority.chain_breaks(NIF) == ()


async def test_an_accepted_invoice_is_amended_annulled_and_revived(authority, office):
    assert await office.issue(invoice(), marker="[sandbox:warn 2005]") == "2005"
    assert await office.issue(invoice(), marker="[sandbox:reject 1124]") == "1124"
    assert await office.issue(invoice(line("50.00"))) is None
    assert await office.annul(invoice()) is None
    assert [entry.state for entry in authority.records(NIF)] == ["Anulada"]

    assert await office.issue(invoice(line("60.00"))) is None
    assert [(entry.state, entry.total) for entry in authority.records(NIF)] == [("Correcta", "72.60")]

    assert await office.annul(invoice(), generated_by=IssuedBy.RECIPIENT, generator=CLIENT) is None
    assert [entry.state for entry in authority.records(NIF)] == ["Anulada"]
    assert authority.chain_breaks(NIF) == ()


async def test_a_refused_invoice_can_be_annulled_and_revived(authority, office):
    assert await office.issue(invoice(), marker="[sandbox:reject 1124]") == "1124"

    assert await office.annul(invoice()) is None
    assert [entry.state for entry in authority.records(NIF)] == ["Anulada"]

    assert await office.issue(invoice()) is None
    assert [entry.state for entry in authority.records(NIF)] == ["Correcta"]


async def test_a_record_that_never_arrived_is_told_by_the_refusal_of_the_next(office):
    await office.issue(invoice(), sending=False)
    office.past[invoice().number] = (PastRecord(kind="issue", state=State.PENDING),)

    assert await office.issue(invoice()) == "3002"
    assert await office.issue(invoice()) is None


TICKET = DocumentRef(number="T2026-0001", issue_date=now().date())
CORRECTION = Correction(
    documents=(TICKET,),
    method="substitution",
    reason="R4",
    replaced_base=Decimal("90.00"),
    replaced_tax=Decimal("18.90"),
    replaced_surcharge=Decimal("4.68"),
)
ISLANDS = invoice(
    line(rate="7", tax="IGIC"),
    line(rate="3", tax="IGIC", regime_key="18"),
    line(category=TaxCategory.EXEMPT, tax="IGIC", exemption_code="E8"),
    line(rate="4", tax="IPSI", cost_base=Decimal("100.00")),
    line(rate="1", tax="OTHER"),
)
DOCUMENTS = {
    "F3": invoice(substitutes=(TICKET,)),
    "R4 by substitution": credit_note(line(surcharge="5.2"), correction=CORRECTION),
    "R5": credit_note(recipient=None, details={"coupon": True, "withoutRecipientId": True}),
    "F2 art. 6.1.d of 6,050": simplified(line("5000.00"), details={"withoutRecipientId": True}),
    "F2 by agreement": simplified(line("5000.00"), details={"invoicingAgreement": "A-1"}),
    "F1 art. 7.2": simplified(recipient=CLIENT, details={"identifiedRecipient": True}),
    "by a third party": invoice(issued_by=IssuedBy.THIRD_PARTY, third_party=AMERICAN),
    "by the recipient": invoice(issued_by=IssuedBy.RECIPIENT),
    "passport": invoice(recipient=replace(AMERICAN, tax_id_kind="passport")),
    "not in the census": invoice(recipient=replace(CLIENT, tax_id=NIF, tax_id_kind="not_registered")),
    "islands and cities": ISLANDS,
    "group of entities": invoice(line(regime_key="06", cost_base=Decimal("100.00"))),
    "large": invoice(line("123456789.00")),
}


async def test_every_kind_is_taken_in_one_unbroken_chain(authority, office):
    said = {
        name: await office.issue(replace(document, number=f"N-{ordinal}"))
        for ordinal, (name, document) in enumerate(DOCUMENTS.items())
    }

    assert said == dict.fromkeys(DOCUMENTS)
    assert authority.chain_breaks(NIF) == ()
