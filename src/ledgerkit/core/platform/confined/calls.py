"""Calls of functions on untrusted input, each in a process of its own.

The process ends with the call, so nothing of its input, keys and passwords above all, outlives the answer.
"""

from collections.abc import Callable
from pathlib import Path
from uuid import UUID

from ledgerkit.core.platform.confined.child import FAILED
from ledgerkit.core.platform.confined.lanes import BusyError, CannotStartError, Capacity, Lane
from ledgerkit.core.platform.confined.process import ConfinedProcess, ProcessDiedError, TimeLimitError
from ledgerkit.core.platform.confined.texts import ConfinedMsg
from ledgerkit.problems import Code, Unavailable

AT_ONCE = Capacity(processes=2, requests_each=1, waiting=6, waiting_of_one=3)
"""Capacity for each function. Some callers wait within a transaction, so few may wait: far fewer than connections."""

_SCRIPT = Path(__file__).with_name("call.py")

Function = Callable[[bytes], bytes]


class CallFailedError(Exception):
    """Failure of a call that took too long or too much memory, or crashed: its input cannot be used."""


class ConfinedCalls:
    """Calls of module-level functions from bytes to bytes, of `seconds` each at most.

    Use from one event loop; `stop` before the end.
    """

    def __init__(self, seconds: float = 15.0) -> None:
        self._seconds = seconds
        self._lanes: dict[Function, Lane] = {}

    async def call(self, function: Function, account_id: UUID, content: bytes) -> bytes:
        """Return the result of `function`. Raises CallFailedError, and Unavailable when too many calls wait."""
        lane = self._lanes.setdefault(function, Lane(lambda: _process(function), AT_ONCE))
        try:
            reply = await lane.run(account_id, content, self._seconds)
        except (BusyError, CannotStartError):
            raise _busy() from None
        except (TimeLimitError, ProcessDiedError) as error:
            raise CallFailedError from error
        if reply.kind == FAILED:
            raise CallFailedError(reply.content.decode())
        return reply.content

    def in_dry_run(self, _dry_run: object) -> "ConfinedCalls":
        """Return this object, which changes nothing outside of the transaction."""
        return self

    async def stop(self) -> None:
        """End all calls at once."""
        for lane in self._lanes.values():
            await lane.stop()


def _process(function: Function) -> ConfinedProcess:
    return ConfinedProcess(_SCRIPT, function.__module__, function.__qualname__)


def _busy() -> Unavailable:
    return Unavailable(ConfinedMsg.TOO_MANY_FILES_WAITING, code=Code.SERVER_BUSY, headers={"Retry-After": "5"})
