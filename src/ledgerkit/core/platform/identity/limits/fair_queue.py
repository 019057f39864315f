"""Bounded queue for scarce work, in which a busy origin does not delay the others."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ledgerkit.core.platform.identity.texts import IdentityMsg
from ledgerkit.problems import Code, Unavailable


class FairQueue:
    """Queue in which `at_once` callers hold a turn and `places` wait, `places_each` of them from one origin.

    All others are refused. Turns go to the waiting origins in rotation, not in the order of arrival. When all places
    are taken, a caller from an origin with fewer waiting takes the last place of the origin that has most. Use it from
    one event loop.
    """

    def __init__(self, at_once: int, places: int, places_each: int) -> None:
        self._free = at_once
        self._places = places
        self._places_each = places_each
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    @asynccontextmanager
    async def turn(self, origin: str) -> AsyncIterator[None]:
        """Wait for a turn and hold it. Raises Unavailable BUSY at once when there is no place to wait."""
        await self._wait_for_turn(origin)
        try:
            yield
        finally:
            self._pass_on()

    async def _wait_for_turn(self, origin: str) -> None:
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
            elif turn.exception() is None:  # the turn was given just when its caller was cancelled
                self._pass_on()
            raise

    def _make_room(self, origin: str) -> None:
        waiting_of_origin = len(self._waiting.get(origin, ()))
        if waiting_of_origin >= self._places_each:
            raise busy()
        if sum(map(len, self._waiting.values())) < self._places:
            return
        longest = max(self._waiting, key=lambda waiting_origin: len(self._waiting[waiting_origin]))
        if len(self._waiting[longest]) <= waiting_of_origin + 1:
            raise busy()
        displaced = self._waiting[longest][-1]
        self._remove(longest, displaced)
        displaced.set_exception(busy())

    def _pass_on(self) -> None:
        while self._waiting:
            origin = next(iter(self._waiting))
            turn = self._waiting[origin][0]
            self._remove(origin, turn)
            if origin in self._waiting:
                self._waiting.move_to_end(origin)
            if not turn.done():  # it is done when its caller has just been cancelled
                turn.set_result(None)
                return
        self._free += 1

    def _remove(self, origin: str, turn: asyncio.Future[None]) -> None:
        queue = self._waiting.get(origin, deque())
        if turn in queue:
            queue.remove(turn)
        if not queue:
            self._waiting.pop(origin, None)


def busy() -> Unavailable:
    """Return the refusal of a caller for whom there is no place to wait."""
    return Unavailable(IdentityMsg.TOO_MANY_PASSWORD_CHECKS, code=Code.BUSY, headers={"Retry-After": "2"})
