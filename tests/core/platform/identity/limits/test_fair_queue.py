"""The queue before the work on passwords: bounded, and no origin keeps the others waiting."""

import asyncio
from contextlib import suppress

import pytest

from ledgerkit.core.platform.identity.limits.fair_queue import FairQueue
from ledgerkit.problems import Unavailable


class Workshop:
    """Work at a queue that goes on until it is told to end; `order` is who had a turn, by name."""

    def __init__(self, queue: FairQueue) -> None:
        self.queue, self.order = queue, []
        self.tasks: dict[str, asyncio.Task[None]] = {}
        self.ends: dict[str, asyncio.Event] = {}

    async def come(self, name: str, origin: str) -> None:
        """Start somebody's work, and let them get as far as they can."""
        self.ends[name] = asyncio.Event()
        self.tasks[name] = asyncio.create_task(self._work(name, origin))
        await self.settle()

    async def end(self, name: str) -> None:
        self.ends[name].set()
        await self.settle()

    async def settle(self) -> None:
        for _ in range(5):
            await asyncio.sleep(0)

    def refused(self) -> set[str]:
        return {name for name, task in self.tasks.items() if task.done() and task.exception() is not None}

    async def _work(self, name: str, origin: str) -> None:
        async with self.queue.turn(origin):
            self.order.append(name)
            await self.ends[name].wait()


@pytest.fixture
async def shop():
    """One turn, four places, three of them for one origin."""
    made = Workshop(FairQueue(at_once=1, places=4, places_each=3))
    yield made
    for task in made.tasks.values():
        task.cancel()
        with suppress(asyncio.CancelledError, Unavailable):
            await task


async def test_whoever_comes_from_elsewhere_goes_before_the_crowd(shop):
    for number in range(4):
        await shop.come(f"crowd {number}", "a")
    await shop.come("somebody", "b")

    await shop.end("crowd 0")
    await shop.end("crowd 1")

    assert shop.order == ["crowd 0", "crowd 1", "somebody"]


async def test_an_origin_that_waits_enough_is_refused_at_once(shop):
    for number in range(5):
        await shop.come(f"crowd {number}", "a")

    problem = shop.tasks["crowd 4"].exception()

    assert shop.refused() == {"crowd 4"}
    assert (problem.status, problem.code, problem.headers) == (503, "BUSY", {"Retry-After": "2"})


async def test_when_all_places_are_taken_the_largest_crowd_makes_room(shop):
    for number in range(4):
        await shop.come(f"crowd {number}", "a")
    await shop.come("first", "b")
    await shop.come("second", "c")

    assert shop.refused() == {"crowd 3"}


async def test_among_equals_the_last_to_come_is_refused(shop):
    for origin in "abcdef":
        await shop.come(origin, origin)

    assert shop.refused() == {"f"}


async def test_whoever_gives_up_leaves_their_place(shop):
    for name in ("one", "two", "three"):
        await shop.come(name, "a")

    shop.tasks["two"].cancel()
    await shop.end("one")

    assert shop.order == ["one", "three"]


async def test_a_turn_given_to_somebody_who_has_just_given_up_is_passed_on(shop):
    for name in ("one", "two", "three"):
        await shop.come(name, "a")

    shop.ends["one"].set()
    shop.tasks["one"].add_done_callback(lambda _: shop.tasks["two"].cancel())
    await shop.settle()

    assert shop.order[-1] == "three"


async def test_a_free_turn_is_taken_at_once_when_all_is_over(shop):
    for name in ("one", "two"):
        await shop.come(name, "a")
    for name in ("one", "two"):
        await shop.end(name)

    await shop.come("later", "a")

    assert shop.order == ["one", "two", "later"]
