"""Queues for processes: one process for an account at a time, the account that used least first, few waiting."""

import asyncio
import threading
from dataclasses import dataclass, field

import pytest

from ledgerkit.core.platform.confined.lanes import USE_HALF_LIFE, BusyError, CannotStartError, Capacity, Lane
from ledgerkit.core.platform.confined.process import ProcessDiedError, Reply, TimeLimitError


@dataclass
class Site:
    """Processes that answer when the test lets them."""

    events: list[str] = field(default_factory=list)
    gates: dict[str, threading.Event] = field(default_factory=dict)
    begun: "asyncio.Queue[str]" = field(default_factory=asyncio.Queue)
    started: int = 0

    def __post_init__(self) -> None:
        self.loop = asyncio.get_running_loop()

    def start(self):
        self.started += 1
        return Process(self)

    def let(self, name: str) -> None:
        self.gate(name).set()

    def gate(self, name: str) -> threading.Event:
        return self.gates.setdefault(name, threading.Event())


class Process:
    def __init__(self, site: Site) -> None:
        self.site, self.tasks, self.alive = site, 0, True

    def await_ready(self, _seconds) -> None:
        pass

    def ask(self, request: bytes, seconds: float) -> Reply:
        self.tasks += 1
        name = request.decode()
        gate = self.site.gate(name)
        self.site.events.append(name)
        self.site.loop.call_soon_threadsafe(self.site.begun.put_nowait, name)
        gate.wait()
        if not self.alive or name.startswith("dies"):
            raise ProcessDiedError
        if name.startswith("slow"):
            raise TimeLimitError
        return Reply(b"D", request)

    def kill(self) -> None:
        self.alive = False
        for gate in self.site.gates.values():
            gate.set()

    def close(self) -> None:
        self.alive = False


@pytest.fixture
async def site():
    return Site()


@pytest.fixture
async def lane(site):
    lane = Lane(site.start, Capacity(processes=1, requests_each=1000, waiting=6, waiting_of_one=3))
    yield lane
    await lane.stop()


def asking(lane, account, name, **more):
    return asyncio.create_task(lane.run(account, name.encode(), 60, **more))


async def let_in():
    """Lets the tasks that were made ask."""
    for _ in range(3):
        await asyncio.sleep(0)


async def test_requests_are_answered_and_the_process_is_reused(lane, site):
    for name in ("a", "b"):
        site.let(name)
        assert await lane.run("ana", name.encode(), 60) == Reply(b"D", name.encode())

    assert site.started == 1


async def test_nothing_is_started_without_a_request(lane, site):
    assert (site.started, lane.processes()) == (0, [])


async def test_among_waiting_accounts_the_one_that_used_least_goes_first(lane, site):
    first = asking(lane, "ana", "ana 1")
    await site.begun.get()
    others = [asking(lane, "ana", "ana 2"), asking(lane, "ana", "ana 3"), asking(lane, "berta", "berta 1")]
    await let_in()

    for name in ("ana 1", "berta 1", "ana 2", "ana 3"):
        site.let(name)
    await asyncio.gather(first, *others)

    assert site.events == ["ana 1", "berta 1", "ana 2", "ana 3"]


async def test_an_account_has_one_process_at_a_time(site):
    lane = Lane(site.start, Capacity(processes=2))
    tasks = [asking(lane, "ana", "ana 1"), asking(lane, "ana", "ana 2"), asking(lane, "berta", "berta 1")]
    running = {await site.begun.get(), await site.begun.get()}

    for name in ("ana 1", "ana 2", "berta 1"):
        site.let(name)
    await asyncio.gather(*tasks)
    await lane.stop()

    assert running == {"ana 1", "berta 1"}


async def test_an_account_may_have_few_waiting_and_others_are_admitted(lane, site):
    first = asking(lane, "ana", "ana")
    await site.begun.get()
    waiting = [asking(lane, "ana", f"ana {n}") for n in range(3)]
    await let_in()

    with pytest.raises(BusyError):
        await lane.run("ana", b"one too many", 60)
    berta = asking(lane, "berta", "berta")
    for name in ("ana", "ana 0", "ana 1", "ana 2", "berta"):
        site.let(name)

    assert len(await asyncio.gather(first, *waiting, berta)) == 5


async def test_a_request_may_demand_a_shorter_queue(lane, site):
    first = asking(lane, "ana", "ana")
    await site.begun.get()
    waiting = asking(lane, "ana", "waiting")
    await let_in()

    with pytest.raises(BusyError):
        await lane.run("ana", b"stranger", 60, waiting=1)
    site.let("ana")
    site.let("waiting")

    await asyncio.gather(first, waiting)


async def test_the_number_of_waiting_requests_is_bounded(lane, site):
    first = asking(lane, "ana", "first")
    await site.begun.get()
    waiting = [asking(lane, f"account {n}", f"waiting {n}") for n in range(6)]
    await let_in()

    with pytest.raises(BusyError):
        await lane.run("another", b"one too many", 60)
    for name in ["first", *(f"waiting {n}" for n in range(6))]:
        site.let(name)

    await asyncio.gather(first, *waiting)


@pytest.mark.parametrize(("name", "error"), [("slow", TimeLimitError), ("dies", ProcessDiedError)])
async def test_a_process_that_failed_is_replaced(lane, site, name, error):
    site.let(name)
    site.let("next")
    with pytest.raises(error):
        await lane.run("ana", name.encode(), 60)

    assert (await lane.run("ana", b"next", 60)).content == b"next"
    assert site.started == 2


async def test_a_process_that_does_not_start_is_reported_as_such(site, monkeypatch):
    def never(*_):
        raise ProcessDiedError

    monkeypatch.setattr(Process, "await_ready", never)
    lane = Lane(site.start, Capacity())

    with pytest.raises(CannotStartError):
        await lane.run("ana", b"x", 60)
    with pytest.raises(CannotStartError):
        await lane.start()
    await lane.stop()


async def test_a_machine_that_can_start_no_process_is_no_reason_to_wait_for_ever(site):
    starts = [BlockingIOError("Resource temporarily unavailable"), MemoryError()]

    def start():
        if starts:
            raise starts.pop(0)
        return site.start()

    lane = Lane(start, Capacity())
    site.let("x")

    for _ in range(2):
        with pytest.raises(CannotStartError):
            await asyncio.wait_for(lane.run("ana", b"x", 60), 60)
    assert (await lane.run("ana", b"x", 60)).content == b"x"
    await lane.stop()


@pytest.mark.parametrize("step", ["await_ready", "ask"])
async def test_a_process_whose_answer_was_not_read_answers_nobody_else(site, monkeypatch, step):
    original, broken = getattr(Process, step), [RuntimeError("can't start new thread")]

    def breaks(self, *args):
        if broken:
            raise broken.pop()
        return original(self, *args)

    monkeypatch.setattr(Process, step, breaks)
    lane = Lane(site.start, Capacity())
    site.let("x")

    with pytest.raises((CannotStartError, RuntimeError)):
        await lane.run("ana", b"x", 60)

    assert (await lane.run("berta", b"x", 60)).content == b"x"
    assert site.started == 2
    await lane.stop()


async def test_a_cancelled_request_is_not_run(lane, site):
    first = asking(lane, "ana", "first")
    await site.begun.get()
    leaving, staying = asking(lane, "berta", "leaving"), asking(lane, "clara", "staying")
    await let_in()

    leaving.cancel()
    for name in ("first", "staying"):
        site.let(name)
    await asyncio.gather(first, staying)

    assert site.events == ["first", "staying"]


async def test_stopping_ends_running_requests_and_refuses_waiting_ones(lane, site):
    tasks = [asking(lane, "ana", "runs"), asking(lane, "berta", "waits")]
    await site.begun.get()

    await lane.stop()

    assert [type(one) for one in await asyncio.gather(*tasks, return_exceptions=True)] == [BusyError, BusyError]
    with pytest.raises(BusyError):
        await lane.run("ana", b"x", 60)


async def test_a_process_that_starts_while_the_lane_stops_does_nothing_more(site):
    starting, may_start = threading.Event(), threading.Event()

    def start():
        starting.set()
        assert may_start.wait(60)
        return site.start()

    lane = Lane(start, Capacity())
    task = asking(lane, "ana", "x")
    assert await asyncio.to_thread(starting.wait, 60)
    stopping = asyncio.create_task(lane.stop())
    await let_in()
    may_start.set()
    ended, _ = await asyncio.wait([stopping], timeout=20)
    site.let("x")
    await stopping

    assert ended == {stopping}
    assert site.events == []
    with pytest.raises(BusyError):
        await task


async def test_the_time_used_fades(lane, site, monkeypatch):
    now = 1000.0
    monkeypatch.setattr("ledgerkit.core.platform.confined.lanes.monotonic", lambda: now)
    lane._note("ana", 8.0)

    now += 2 * USE_HALF_LIFE

    assert lane._recently("ana") == pytest.approx(2.0)
