"""Turns at scarce work: a bounded queue in which one origin cannot keep the others waiting."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ledgerkit.core.identity.messages import IdentityMsg
from ledgerkit.problems import Code, Unavailable


class FairQueue:
    """At most `at_once` hold a turn; `places` wait, `places_each` of them from one origin, and the rest are refused.

    Turns go round the origins that wait, not in the order of arrival. When all places are taken, whoever comes from an
    origin with fewer waiting takes the last place of the one that has most. Use it from one event loop.
    """

    def __init__(self, at_once: int, places: int, places_each: int) -> None:
        self._free = at_once
        self._places = places
        self._places_each = places_each
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    @asynccontextmanager
    async def turn(self, origin: str) -> AsyncIterator[None]:
        """Wait for a turn and hold it. Raises Unavailable BUSY at once when there is no place to wait."""
        await self._admitted(origin)
        try:
            yield
        finally:
            self._pass_on()

    async def _admitted(self, origin: str) -> None:
        if self._free:  # nobody waits while a turn is free
            self._free -= 1
            return
        self._make_room(origin)
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(origin, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                self._remove(origin, turn)
            elif turn.exception() is None:  # given in the very moment of giving up
                self._pass_on()
            raise

    def _make_room(self, origin: str) -> None:
        own = len(self._waiting.get(origin, ()))
        if own >= self._places_each:
            raise busy()
        if sum(map(len, self._waiting.values())) < self._places:
            return
        crowd = max(self._waiting, key=lambda one: len(self._waiting[one]))
        if len(self._waiting[crowd]) <= own + 1:
            raise busy()
        last = self._waiting[crowd][-1]
        self._remove(crowd, last)
        last.set_exception(busy())

    def _pass_on(self) -> None:
        while self._waiting:
            origin = next(iter(self._waiting))
            turn = self._waiting[origin][0]
            self._remove(origin, turn)
            if origin in self._waiting:
                self._waiting.move_to_end(origin)
            if not turn.done():  # as it is when its owner has just given up
                turn.set_result(None)
                return
        self._free += 1

    def _remove(self, origin: str, turn: asyncio.Future[None]) -> None:
        line = self._waiting.get(origin, deque())
        if turn in line:
            line.remove(turn)
        if not line:
            self._waiting.pop(origin, None)


def busy() -> Unavailable:
    """The refusal of whoever finds no place to wait."""
    return Unavailable(IdentityMsg.TOO_MANY_PASSWORD_CHECKS, code=Code.BUSY, headers={"Retry-After": "2"})
