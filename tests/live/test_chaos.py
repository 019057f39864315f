"""Every fault at every step of a record's life, with kill -9 of server and PostgreSQL: nothing is lost or doubled.

The faults that a short run meets are chance; test_fault_matrix has them all, one by one. `make chaos` runs it longer,
until all were met. The order of things comes from LEDGERKIT_CHAOS_SEED, printed at the start; what the machine makes of
it differs a little each time.
"""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

import httpx2
import pytest

from ledgerkit.providers.es.sandbox import VerifactuSandbox, sandbox
from support.chaos import truth
from support.chaos.faults import Armed, Step, faults
from support.chaos.lanes import Lane, lanes, life
from support.chaos.truth import Books, Journal
from support.chaos.wire import Weather, Wire
from support.chaos.world import World
from support.serving import reporting_to

SEED = int(os.environ.get("LEDGERKIT_CHAOS_SEED") or Random().getrandbits(32))
SECONDS = float(os.environ.get("LEDGERKIT_CHAOS_SECONDS", "6"))
LONG = SECONDS >= 120
LANES = 24 if LONG else 6
PATIENCE = 2.0
"""Seconds that the server waits for an answer of the authority."""
SETTLING_SECONDS = max(240, SECONDS)
"""A chain or a record that has failed all the time waits about as long again."""
MOST_ARMED = 2
"""Faults that wait for one issuer: each doubles its pause, and some minutes after the last all must be settled."""
KILLS = (8.0, 25.0) if LONG else (2.0, 3.0)
"""Seconds between one kill and the next: at least, at most."""

Say = Callable[[str], None]


class Scene:
    """All that a run needs: the server, the way to its authority, the authority, and who tells what it received."""

    def __init__(self, world: World, wire: Wire, authority: VerifactuSandbox) -> None:
        self.world, self.wire, self.authority = world, wire, authority
        self.armed, self.questions, self.journal = Armed(), Armed(), Journal()
        authority.faults, authority.question_faults = self.armed, self.questions
        authority.listener = self._heard

    def _heard(self, message: bytes) -> None:
        self.journal.heard(message)
        self.armed.heard(message)

    async def heal(self) -> None:
        """From now on nothing goes wrong any more."""
        self.armed.disarm()
        self.questions.disarm()
        await self.wire.turn(Weather.CLEAR)


@asynccontextmanager
async def staged(directory: Path) -> AsyncIterator[Scene]:
    authority = sandbox(directory / "authority")
    await authority.start()
    address = httpx2.URL(authority.access.url)
    wire = Wire(address.port)
    await wire.start()
    way = {"VERIFACTU_URL": str(address.copy_with(port=wire.port))}
    brisk = {"EINVOICE_WAIT": "0.3", "EINVOICE_TIMEOUT": str(PATIENCE)}
    world = World(directory / "data", reporting_to(authority.access) | way | brisk)
    try:
        await world.up()
        yield Scene(world, wire, authority)
    finally:
        await world.down()
        await wire.stop()
        await authority.stop()


@pytest.fixture
def say(capsys) -> Say:
    """Lines of progress, also while pytest keeps what is printed."""
    begun = time.monotonic()

    def said(text: str) -> None:
        with capsys.disabled():
            print(f"chaos {time.monotonic() - begun:6.1f} s  {text}", flush=True)  # noqa: T201 - whoever waits wants to know

    return said


@pytest.mark.whole
async def test_nothing_is_lost_and_nothing_told_twice_whatever_fails_and_whoever_is_killed(open_tmp, say):
    dice = Random(SEED)
    say(f"seed {SEED}, {SECONDS:.0f} s, load {os.getloadavg()[0]:.1f}")
    async with staged(open_tmp) as scene:
        steps = life((await scene.world.request("GET", "/openapi.json")).json())
        issuers = await lanes(scene.world, LANES, dice)
        await asyncio.gather(*(lane.founded() for lane in issuers))
        say(f"{LANES} issuers; steps: {', '.join(steps)}")

        await _trouble(scene, issuers, steps, dice, say)
        await scene.heal()
        say(f"calm; killed: {', '.join(scene.world.kills)}; {truth.counted(scene.journal)}")
        await asyncio.gather(*(lane.settled(SETTLING_SECONDS) for lane in issuers))
        say("everything has its answer")

        books_of_issuers = await asyncio.gather(*(truth.books(lane) for lane in issuers))
        wrongs = truth.wrong(list(zip(issuers, books_of_issuers, strict=True)), scene.authority, scene.journal)
        every = {(name, step) for name in faults(PATIENCE) for step in steps}
        struck = every & set(scene.armed.struck)
        say(_summary(scene, issuers, books_of_issuers, f"{len(struck)} of {len(every)}"))
        assert wrongs == [], f"seed {SEED}"
        assert await _unverified(scene, issuers) == [], f"seed {SEED}"
        assert scene.world.kills
        assert struck
        assert not LONG or every - struck == set()


async def _trouble(scene: Scene, issuers: Sequence[Lane], steps: list[Step], dice: Random, say: Say) -> None:
    """Issuers at work, a way that is cut, processes that are killed, all at once and until the time is over."""
    end = asyncio.get_running_loop().time() + SECONDS
    crowd = [_worked(scene, lane, steps, end) for lane in issuers]
    storms, kills = Random(dice.getrandbits(64)), Random(dice.getrandbits(64))
    await asyncio.gather(*crowd, _storms(scene, storms, end), _kills(scene, kills, end), _told(scene, say, end))


async def _worked(scene: Scene, lane: Lane, steps: list[Step], end: float) -> None:
    """Take a cell of the matrix that nobody has suffered yet, or any, until the time is over: arm it, do the step.

    A long run goes on, without further kills, until all have been suffered, up to twice as long.
    """
    names = faults(PATIENCE)
    every = [(name, step) for name in names for step in steps]

    def left() -> list[tuple[str, Step]]:
        return [cell for cell in every if cell not in scene.armed.struck]

    def is_over() -> bool:
        return _now() > (end + SECONDS if LONG and left() else end)

    while not is_over():
        if scene.armed.waiting(lane.nif) >= MOST_ARMED:
            await asyncio.sleep(0.2)
            continue
        name, step = lane.dice.choice(left() or every)
        base = await lane.base(is_over) if step is not Step.ISSUE else ""
        if base is None:
            return
        scene.armed.arm(lane.nif, name, names[name])
        if lane.dice.random() < 0.2:
            scene.questions.arm(lane.nif, name, names[name])
        await lane.live(step, base)


async def _storms(scene: Scene, dice: Random, end: float) -> None:
    """Now and then the way to the authority is cut, for a moment."""
    kinds = [Weather.REFUSED, Weather.RESET, Weather.SILENT]
    while _now() < end:
        await asyncio.sleep(dice.uniform(0.5, 2))
        await scene.wire.turn(dice.choice(kinds))
        await asyncio.sleep(dice.uniform(0.3, 1))
        await scene.wire.turn(Weather.CLEAR)


async def _kills(scene: Scene, dice: Random, end: float) -> None:
    """The server and PostgreSQL by turns, so that a short run has both; then whichever comes."""
    turns = dice.sample([True, False], 2)
    while _now() < end:
        await asyncio.sleep(dice.uniform(*KILLS))
        if turns.pop() if turns else dice.random() < 0.5:
            await scene.world.kill_server()
        else:
            await scene.world.kill_postgres(dice)


async def _told(scene: Scene, say: Say, end: float) -> None:
    while _now() < end:
        await asyncio.sleep(min(15, max(0.0, end - _now())))
        say(f"{len(scene.armed.struck)} cells, {len(scene.world.kills)} kills; {truth.counted(scene.journal)}")


def _now() -> float:
    return asyncio.get_running_loop().time()


def _summary(scene: Scene, issuers: Sequence[Lane], books_of_issuers: Sequence[Books], struck: str) -> str:
    records = sum(len(one.records) for one in books_of_issuers)
    answers = sum(len(lane.told) for lane in issuers)
    cut = f"{scene.wire.struck} connections cut"
    return f"{struck} cells of the matrix struck, {cut}; {records} records, {answers} times acknowledged"


async def _unverified(scene: Scene, issuers: Sequence[Lane]) -> list[str]:
    """The chains that the server's own walk finds broken, or empty."""
    walks = [(lane, (await lane.caller.get("/api/einvoice/chain?verify=true"))["verification"]) for lane in issuers]
    return [f"{lane.nif}: {walk}" for lane, walk in walks if not walk["ok"] or not walk["records"]]
