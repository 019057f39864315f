"""Every fault between a server and its authority, at every step of a record's life, side by side: one issuer a cell.

A cell is right when its record ends as if nothing had failed, when it came there as the fault demands (asked before it
was sent again, and never sent again when the authority held it), and when nothing is wrong seen from outside.
`make chaos` adds what cannot be laid out in a table: several faults at once, and processes that are killed.
"""

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import product
from random import Random
from typing import Any

import httpx2
import pytest

from ledgerkit.providers.api import Delivery
from ledgerkit.providers.es.verifactu import transport
from ledgerkit.providers.es.verifactu.setup import Endpoint
from support.chaos import truth
from support.chaos.faults import Armed, Step, faults, issuer
from support.chaos.lanes import Lane, lanes
from support.chaos.truth import Books, Journal
from support.chaos.wire import Weather, Wire
from support.office import Office, cloned, opened
from support.sampling import sampled

pytestmark = pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
"""The HTTP client leaves a connection to the collector that it gave up in the middle of a TLS handshake."""

PATIENCE = 6.0
"""Seconds that the server waits for an answer: far more than one takes, and less than the rest of the matrix."""

AT_ONCE = 12
"""Cells at work together, so that none is late that is not meant to be; those that only wait do not count."""


@dataclass(frozen=True)
class Ordeal:
    """Effect of a fault. `said`: status of the record after it; None when the fault does no harm.

    `arrives`: how often the record reaches the authority whole. `asked`: whether the authority is asked what it holds.
    """

    said: str | None
    arrives: int
    asked: bool = False


TURNED_AWAY = Ordeal("pending", arrives=2)
NEVER_SENT = Ordeal("pending", arrives=1)
NOT_HELD = Ordeal("unknown", arrives=2, asked=True)
NOT_READ = Ordeal("unknown", arrives=1, asked=True)
HELD = Ordeal("unknown", arrives=1, asked=True)
UNHEARD = NOT_READ
"""Silence that outlasts the server's patience: it gives up without knowing how far the message came."""
HARMLESS = Ordeal(None, arrives=1)

ORDEALS = {
    "soap fault, client": TURNED_AWAY,
    "soap fault, server": TURNED_AWAY,
    "redirect": TURNED_AWAY,
    "400": NOT_HELD,
    "401": TURNED_AWAY,
    "403": TURNED_AWAY,
    "429": TURNED_AWAY,
    "500": NOT_HELD,
    "503": NOT_HELD,
    "html": NOT_HELD,
    "html for an answer": NOT_HELD,
    "cut before reading": NOT_READ,
    "lost": HELD,
    "late": HELD,
    "drip": HELD,
    "reset instead of an answer": HELD,
    "reset in the middle": HELD,
    "truncated": HELD,
    "empty": HELD,
    "garbage": HELD,
    "wrong type": HARMLESS,
    "dtd": HELD,
    Weather.REFUSED: NEVER_SENT,
    Weather.RESET: NEVER_SENT,
    Weather.SILENT: UNHEARD,
}
WAITING = {"late", "drip", Weather.SILENT}
"""Those in which most of the time nothing happens."""

BEFORE = {Step.ISSUE: [], Step.CORRECTION: ["rejected"], Step.ANNULMENT: ["accepted"], Step.CREDIT_NOTE: []}
"""Answers about the document before the step that suffers."""

CELLS = sampled(list(product(ORDEALS, Step)))


class Roads:
    """Each issuer's own way to the authority; the first message on one that is cut finds it so, and clears it."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._wires: dict[str, Wire] = {}
        self._genuine = transport.deliver
        self.suffered: dict[str, Delivery] = {}

    async def lay(self, nif: str) -> Wire:
        wire = self._wires[nif] = Wire(self._port)
        await wire.start()
        return wire

    async def deliver(self, endpoint: Endpoint, message: bytes, *, timeout_seconds: float) -> Delivery:
        wire = self._wires.get(issuer(message))
        if wire is None:
            return await self._genuine(endpoint, message, timeout_seconds=timeout_seconds)
        there = replace(endpoint, url=str(httpx2.URL(endpoint.url).copy_with(port=wire.port)))
        delivery = await self._genuine(there, message, timeout_seconds=timeout_seconds)
        if wire.weather is not Weather.CLEAR:
            self.suffered[issuer(message)] = delivery
            await wire.turn(Weather.CLEAR)
        return delivery

    async def close(self) -> None:
        await asyncio.gather(*(wire.stop() for wire in self._wires.values()))


@dataclass
class Scene:
    """The application, its authority, and the journal of what the authority received and suffered."""

    office: Office
    armed: Armed
    journal: Journal
    roads: Roads

    def heard(self, message: bytes) -> None:
        self.journal.heard(message)
        self.armed.heard(message)


@pytest.fixture
async def scene(brisk, postgres, tmp_path, cheap_passwords, monkeypatch) -> AsyncIterator[Scene]:
    wanted: dict[str, Any] = {"einvoice_wait": 60, "einvoice_timeout": PATIENCE, "worker": "apart"}
    async with cloned(postgres) as url, opened(url, tmp_path, cheap_passwords, **wanted) as office:
        roads = Roads(httpx2.URL(office.authority.access.url).port)
        monkeypatch.setattr(transport, "deliver", roads.deliver)
        scene = Scene(office, Armed(), Journal(), roads)
        office.authority.faults, office.authority.listener = scene.armed, scene.heard
        yield scene
        await roads.close()
    gc.collect()  # while what it finds unclosed is still excused


@dataclass
class Cell:
    """One issuer, whose document suffers one fault at one step. `document`: the invoice that the step is about."""

    scene: Scene
    lane: Lane
    name: str
    step: Step
    document: str = ""

    async def live(self, room: asyncio.Semaphore) -> None:
        wire = await self.scene.roads.lay(self.lane.nif) if self.name in list(Weather) else None
        async with room:
            base = await self._base()
        if wire is not None:
            await wire.turn(Weather(self.name))
        else:
            self.scene.armed.arm(self.lane.nif, self.name, faults(PATIENCE)[self.name])
        async with nullcontext() if self.name in WAITING else room:
            await self._suffer(base)

    async def _base(self) -> str:
        match self.step:
            case Step.ISSUE:
                return ""
            case Step.CORRECTION:
                return await self.lane.issue("Identidad visual [sandbox:reject 1124]")
            case _:
                return await self.lane.issue()

    async def _suffer(self, base: str) -> None:
        self.document = base
        match self.step:
            case Step.ISSUE:
                self.document = await self.lane.issue()
            case Step.CORRECTION:
                await self.lane.correct(base, "Identidad visual")
            case Step.ANNULMENT:
                await self.lane.annul(base)
            case Step.CREDIT_NOTE:
                await self.lane.give_back(base)
                self.document = self.lane.told[-1].invoice_id

    async def wrong(self, room: asyncio.Semaphore) -> list[str]:
        """Everything that is not as the table and the rules want it."""
        async with room:
            books = await truth.books(self.lane)
            walk = (await self.lane.caller.get("/api/einvoice/chain?verify=true"))["verification"]
        wrongs = truth.wrong([(self.lane, books)], self.scene.office.authority, self.scene.journal)
        if not walk["ok"] or walk["records"] != len(books.records):
            wrongs.append(f"the server's own walk: {walk}")
        after_refusal = sum(b":RechazoPrevio>X</" in record.content for record in books.records)
        if after_refusal != int(self.step is Step.CORRECTION):
            wrongs.append(f"{after_refusal} records say that an earlier one was rejected")
        return [*wrongs, *self.lane.refusals, *self._unexpected(books)]

    def _unexpected(self, books: Books) -> list[str]:
        ordeal, standing = ORDEALS[self.name], books.standings[self.document]
        between = [] if ordeal.said is None else [ordeal.said]
        answers = [entry["status"] for entry in standing["history"] if entry["event"] == "answered"]
        questions = sum(issuer(question) == self.lane.nif for question in self.scene.office.authority.asked)
        documents = {Step.ISSUE: (1, 1), Step.CREDIT_NOTE: (2, 2)}.get(self.step, (1, 2))
        wanted = {
            "standing": (standing["status"], "annulled" if self.step is Step.ANNULMENT else "accepted"),
            "said": (answers, [*BEFORE[self.step], *between, "accepted"]),
            "documents and records": ((len(books.invoices), len(books.records)), documents),
            "arrivals": (self._arrivals(), ordeal.arrives),
            "questions": (questions, int(ordeal.asked)),
            "suffered": (self._struck(), True),
        }
        return [f"{what}: {actual}, not {right}" for what, (actual, right) in wanted.items() if actual != right]

    def _arrivals(self) -> int:
        """Number of times that the last record has arrived."""
        times = {place: sum(one.values()) for place, one in self.scene.journal.received.items()}
        return next((often for place, often in reversed(times.items()) if place[0] == self.lane.nif), 0)

    def _struck(self) -> bool:
        if self.name in list(Weather):
            delivery = self.scene.roads.suffered.get(self.lane.nif)
            return delivery is not None and delivery.status is None
        return self.scene.armed.struck[self.name, self.step] == 1


@pytest.mark.whole
async def test_every_fault_at_every_step_ends_as_if_nothing_had_failed(scene):
    assert set(faults(PATIENCE)) < set(ORDEALS)
    issuers = await lanes(scene.office.client, len(CELLS), Random(4))
    cells = [Cell(scene, lane, *cell) for lane, cell in zip(issuers, CELLS, strict=True)]
    room = asyncio.Semaphore(AT_ONCE)

    lives = [cell.live(room) for cell in sorted(cells, key=lambda one: one.name not in WAITING)]
    broken = [one for one in await asyncio.gather(*lives, return_exceptions=True) if one is not None]
    wrongs = await asyncio.gather(*(cell.wrong(room) for cell in cells if cell.document))

    documented = [(cell.name, cell.step.value) for cell in cells if cell.document]
    assert {cell: wrong for cell, wrong in zip(documented, wrongs, strict=True) if wrong} == {}
    assert broken == []


async def test_a_record_whose_messages_are_refused_whole_stays_in_the_chain_without_the_authority_knowing_it(scene):
    """The check of the chain excuses a missing link after such a record, and after no other."""
    [lane] = await lanes(scene.office.client, 1, Random(4))
    await lane.issue()
    for _ in range(truth.REFUSALS):
        scene.armed.arm(lane.nif, "soap fault, client", faults(PATIENCE)["soap fault, client"])

    refused, following = await lane.issue(), await lane.issue()

    books = await truth.books(lane)
    authority = scene.office.authority
    assert [books.standings[one]["status"] for one in (refused, following)] == ["rejected", "accepted"]
    [entry] = authority.chain_breaks(lane.nif)
    assert (entry.previous, entry.fingerprint) == tuple(books.standings[one]["hash"] for one in (refused, following))
    assert truth.wrong([(lane, books)], authority, scene.journal) == []
    otherwise = replace(books, answers=books.answers | {entry.previous: ("rejected", "1124")})
    assert len(truth.wrong([(lane, otherwise)], authority, scene.journal)) == 1
