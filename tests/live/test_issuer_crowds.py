"""Many issuers at once: each one's records arrive in their order, and nobody waits for another one's answers."""

import asyncio

import pytest

from ledgerkit.providers.es.sandbox import Fault, Faults
from support.chaos.faults import Armed
from support.chaos.truth import Journal
from support.office import emit, settled

pytestmark = pytest.mark.whole

ISSUERS, DOCUMENTS = 10, 5
STUCK = 20
STUCK_SECONDS = 60


@pytest.fixture
def armed(hasty):
    hasty.authority.faults = Armed()
    yield hasty.authority.faults
    hasty.authority.faults = Faults()


@pytest.fixture
def journal(hasty):
    journal = Journal()
    hasty.authority.listener = journal.heard
    yield journal
    hasty.authority.listener = None


async def issued(api, documents):
    invoices = [await api.invoice() for _ in range(documents)]
    return await asyncio.gather(*(emit(api, one) for one in invoices))


async def test_records_of_many_issuers_arrive_in_the_order_of_each(hasty, journal):
    crowd = [await hasty.account(f"Taller {place}") for place in range(ISSUERS)]

    results = await asyncio.gather(*(issued(api, DOCUMENTS) for api in crowd))
    for api, results_of_issuer in zip(crowd, results, strict=True):
        for one in results_of_issuer:
            assert (await settled(api, {"id": one["invoiceId"]}))["status"] == "accepted"

    for api in crowd:
        sealed = [record.fingerprint for record in await hasty.records(api)]
        assert len(sealed) == DOCUMENTS
        assert journal.order[api.team["taxId"]] == sealed
        assert hasty.authority.chain_breaks(api.team["taxId"]) == ()


async def test_issuers_whose_answers_do_not_come_hold_up_no_others(hasty, armed):
    crowd = [await hasty.account(f"Lento {place}") for place in range(STUCK)]
    other = await hasty.account("Clara Vidal")
    for api in crowd:
        armed.arm(api.team["taxId"], "late", Fault(delay_seconds=STUCK_SECONDS))
    await asyncio.gather(*(issued(api, 1) for api in crowd))
    loop = asyncio.get_running_loop()
    began = loop.time()

    quick = await other.invoice()
    await emit(other, quick)
    standing = await settled(other, quick)

    assert standing["status"] == "accepted"
    assert loop.time() - began < STUCK_SECONDS / 2
