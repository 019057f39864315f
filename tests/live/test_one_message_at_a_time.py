"""One message of an issuer is under way at any moment, whichever process sends; it is stored before it is sent.

Seen where messages leave: from there until their answer has been read they are open at the authority.
"""

import asyncio
from collections import Counter
from datetime import timedelta
from uuid import UUID

import pytest

from ledgerkit.core.einvoice.transmission import sender
from ledgerkit.core.einvoice.transmission.sender import ChainKey, Transmitter
from ledgerkit.providers.es.sandbox import Fault
from ledgerkit.providers.es.sandbox.faults import LOST_ANSWER
from ledgerkit.providers.es.verifactu import transport
from support.chaos.faults import issuer
from support.office import emit, settled, until, withheld

SLOW = Fault(delay_seconds=0.3)
DOCUMENTS = 6


class Road:
    """Messages under way: by issuer, the most at a time, and those that were not stored when they left."""

    def __init__(self, office) -> None:
        self._office, self._genuine = office, transport.deliver
        self.open, self.most, self.sent = Counter(), Counter(), Counter()
        self.unstored: list[bytes] = []

    async def deliver(self, endpoint, message, *, timeout_seconds):
        nif = issuer(message)
        self.open[nif] += 1
        self.sent[nif] += 1
        self.most[nif] = max(self.most[nif], self.open[nif])
        try:
            if message not in await self._stored():
                self.unstored.append(message)
            return await self._genuine(endpoint, message, timeout_seconds=timeout_seconds)
        finally:
            self.open[nif] -= 1

    async def _stored(self) -> list[bytes]:
        """Messages and questions that are committed and have no answer yet."""
        unanswered = [
            f"select q.request from {table} q left join {table_of_answers} a on a.{reference} = q.id where a.id is null"  # noqa: S608 - our own names
            for table, table_of_answers, reference in (
                ("fiscal_submission", "fiscal_answer", "submission_id"),
                ("fiscal_query", "fiscal_query_answer", "query_id"),
            )
        ]
        return [row.request for row in await self._office.rows(" union all ".join(unanswered))]


@pytest.fixture
def road(hasty, monkeypatch):
    road = Road(hasty)
    monkeypatch.setattr(transport, "deliver", road.deliver)
    return road


@pytest.fixture
def another(hasty, monkeypatch):
    """The sender of a second process on the same database; a machine that stands still ends no lease of either."""
    monkeypatch.setattr(sender, "LEASE", timedelta(minutes=1))
    return Transmitter(hasty.kernel)


async def chain(office, api) -> ChainKey:
    (row,) = await office.rows("select * from fiscal_sender where account_id = :account", account=api.team["id"])
    return ChainKey(UUID(api.team["id"]), row.installation_id)


async def insisted(sender: Transmitter, its: ChainKey, until: asyncio.Task) -> int:
    """Number of messages that another process has sent, asked to send again and again."""
    sent = 0
    while not until.done():
        sent += await sender.launch(its)
        await asyncio.sleep(0.02)
    return sent


async def test_one_message_of_an_issuer_is_on_its_way_however_many_would_send(hasty, berta, road, another):
    first = await berta.invoice()
    await emit(berta, first)
    await settled(berta, first)
    hasty.authority.faults.add(SLOW, times=3)
    hasty.authority.faults.add(LOST_ANSWER)
    hasty.authority.faults.add(SLOW, times=3)
    hasty.authority.question_faults.add(SLOW, times=3)

    async def work() -> None:
        invoices = [await berta.invoice() for _ in range(DOCUMENTS)]
        for one in invoices:
            await emit(berta, one)
        for one in invoices:
            assert (await settled(berta, one))["status"] == "accepted"

    busy = asyncio.create_task(work())
    await insisted(another, await chain(hasty, berta), busy)
    await busy

    nif = berta.team["taxId"]
    assert road.sent[nif] > 3
    assert road.most[nif] == 1
    assert hasty.authority.chain_breaks(nif) == ()


@pytest.mark.whole
async def test_an_answer_that_takes_longer_than_the_lease_keeps_others_out(hasty, berta, road, another, monkeypatch):
    monkeypatch.setattr(sender, "LEASE", timedelta(seconds=12))
    hasty.authority.faults.add(Fault(delay_seconds=16))

    invoice = await berta.invoice()
    await emit(berta, invoice)
    waits = asyncio.create_task(settled(berta, invoice))
    others = await insisted(another, await chain(hasty, berta), waits)

    assert (await waits)["status"] == "accepted"
    assert (others, road.sent[berta.team["taxId"]], road.most[berta.team["taxId"]]) == (0, 1, 1)


async def test_issuers_do_not_share_their_one_message(hasty, berta, road):
    clara = await hasty.account("Clara Vidal")
    pair = [(berta, await berta.invoice()), (clara, await clara.invoice())]
    with withheld():
        for api, invoice in pair:
            await emit(api, invoice)
        await until(lambda: sum(road.open.values()) == 2)

    for api, invoice in pair:
        assert (await settled(api, invoice))["status"] == "accepted"


async def test_messages_and_questions_are_committed_before_they_leave_and_their_answers_after(hasty, berta, road):
    hasty.authority.faults.add(LOST_ANSWER)

    invoice = await berta.invoice()
    await emit(berta, invoice)
    await settled(berta, invoice)

    assert road.sent[berta.team["taxId"]] == 2
    assert road.unstored == []
