"""The authority is asked what it holds: by month, number, day, page by page."""

from datetime import date, timedelta

import pytest
import sandbox_messages as sent
from lxml import etree

from ledgerkit.providers.api import Environment, Heading, Party, Question, State
from ledgerkit.providers.es import country
from ledgerkit.providers.es.sandbox.faults import HTML_PAGE, Fault
from ledgerkit.providers.es.sandbox.questions import SAY

ME = Party(name="Emisor SL", tax_id=sent.ISSUER, country="ES")


def today() -> date:
    return sent.now().date()


@pytest.fixture(scope="session")
def answer_schema(reference_material):
    if reference_material is None:
        return None
    path = reference_material / "spain" / "verifactu-schemas" / "RespuestaConsultaLR.xsd"
    return etree.XMLSchema(etree.parse(path, etree.XMLParser(no_network=True)))


@pytest.fixture
def ask(authority, answer_schema):
    """Asks through the channel; every answer that is not a fault is held against the official schema."""
    channel = country.channels[0].connect_sandbox(authority.access)

    async def ask(issuer=ME, **question):
        asked = Question(**({"year": today().year, "month": today().month} | question))
        content = channel.asks.message(Heading(issuer=issuer), asked)
        delivery = await channel.deliver(content, Environment.SANDBOX, timeout_seconds=60)
        answer = channel.asks.read(delivery)
        if answer_schema is not None and answer.failure is None:
            body = etree.fromstring(delivery.body).find(f".//{SAY}RespuestaConsultaFactuSistemaFacturacion")
            answer_schema.assertValid(body)
        return answer

    return ask


def numbers(answer):
    assert answer.failure is None, answer.failure
    return [held.number for held in answer.holdings]


async def test_what_was_stored_is_held_with_its_fingerprint_and_state(send, ask):
    right, remarked = sent.chain_of(2)
    remarked = sent.sealed(remarked | {"DescripcionOperacion": "[sandbox:warn 2001]"})
    refused = sent.alta("F2026-0003", previous=remarked, DescripcionOperacion="[sandbox:reject 1124]")
    await send(right, remarked, refused)

    answer = await ask()

    assert [(held.number, held.state, held.code, held.fingerprint) for held in answer.holdings] == [
        ("F2026-0001", State.ACCEPTED, None, right["Huella"]),
        ("F2026-0002", State.ACCEPTED_WITH_ERRORS, "2001", remarked["Huella"]),
    ]


async def test_an_annulled_invoice_is_held_as_such_with_the_annulments_fingerprint(send, ask):
    (first,) = sent.chain_of(1)
    gone = sent.anulacion(previous=first)
    await send(first, gone)

    (held,) = (await ask()).holdings

    assert (held.state, held.fingerprint) == (State.ANNULLED, gone["Huella"])


async def test_one_number_is_found_alone(send, ask):
    await send(*sent.chain_of(3))

    assert numbers(await ask(number="F2026-0002")) == ["F2026-0002"]
    assert numbers(await ask(number="F2026-0009")) == []


async def test_a_month_holds_what_was_operated_in_it(send, ask):
    before = today().replace(day=1) - timedelta(days=1)
    await send(sent.alta(FechaOperacion=f"{before:%d-%m-%Y}"))

    assert numbers(await ask()) == []
    assert numbers(await ask(year=before.year, month=before.month)) == ["F2026-0001"]


async def test_an_annulment_stays_in_the_month_of_its_invoice(send, ask):
    before = today().replace(day=1) - timedelta(days=1)
    first = sent.alta(FechaOperacion=f"{before:%d-%m-%Y}")
    await send(first, sent.anulacion(previous=first))

    assert numbers(await ask(year=before.year, month=before.month)) == ["F2026-0001"]


async def test_days_of_issue_bound_what_is_found(send, ask):
    await send(*sent.chain_of(1))

    assert numbers(await ask(first=today(), last=today())) == ["F2026-0001"]
    assert numbers(await ask(first=today() - timedelta(days=1), last=today())) == ["F2026-0001"]
    assert numbers(await ask(first=today() + timedelta(days=1))) == []
    assert numbers(await ask(last=today() - timedelta(days=1))) == []


async def test_another_issuers_documents_are_never_shown(send, ask):
    await send(*sent.chain_of(1))

    assert numbers(await ask(Party(name="Otra", tax_id=sent.RECIPIENT, country="ES"))) == []


async def test_pages_go_on_where_the_last_one_ended_and_miss_and_repeat_nothing(authority, send, ask):
    records = sent.chain_of(7)
    await send(*records)
    authority.page_size = 3
    found, after = [], None

    while True:
        answer = await ask(after=after)
        found.append(numbers(answer))
        after = answer.after
        if after is None:
            break

    assert [len(page) for page in found] == [3, 3, 1]
    assert [number for page in found for number in page] == [one["IDFactura"]["NumSerieFactura"] for one in records]


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ({"month": 13}, "1248"),
        ({"first": date(2026, 1, 2), "last": date(2026, 1, 1)}, "1250"),
    ],
)
async def test_a_wrong_question_is_refused_with_the_authoritys_code(ask, question, code):
    assert (await ask(**question)).failure.startswith(f"Codigo[{code}]")


async def test_a_question_suffers_its_own_faults_and_is_kept_apart_from_messages(authority, send, ask):
    authority.faults.add(HTML_PAGE)
    authority.question_faults.add(Fault(soap_code=4140))
    authority.question_faults.add(HTML_PAGE)

    faulty, unreadable, right = await ask(), await ask(), await ask()

    assert faulty.failure.startswith("Codigo[4140]")
    assert unreadable.failure
    assert right.failure is None
    assert (len(authority.faults), len(authority.asked), len(authority.received)) == (1, 3, 0)


async def test_holdings_survive_a_restart(authority, send, ask):
    await send(*sent.chain_of(2))
    await authority.stop()
    await authority.start()

    assert numbers(await ask(first=date(2024, 10, 28))) == ["F2026-0001", "F2026-0002"]
