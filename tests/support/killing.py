"""`ledgerkit serve` that ends at a chosen step of a conversation as by `kill -9`: nothing of it runs any more."""

import os
import signal
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import wraps
from pathlib import Path
from typing import Any

from ledgerkit.core.messaging.delivery import inbox, running_bot
from ledgerkit.core.messaging.delivery.inbox import Inbox
from ledgerkit.core.messaging.delivery.outbox import Outbox
from ledgerkit.core.messaging.delivery.running_bot import RunningBot
from ledgerkit.core.messaging.messengers.telegram.adapter import TelegramMessenger
from ledgerkit.core.platform.approvals.decisions.execution import Execution
from ledgerkit.core.platform.request import presence
from ledgerkit.core.platform.request.idempotency import IdempotentCall
from support.processes import _FORKS, Forked, Process, Program, _run


@dataclass(frozen=True)
class Moment:
    """The `count`-th time that a step is reached."""

    step: str
    count: int


@dataclass(frozen=True)
class Place:
    """A method before or after which a process ends."""

    owner: type
    name: str
    is_before: bool = False

    def hook(self, reached: Callable[[], None]) -> None:
        genuine: Callable[..., Awaitable[Any]] = getattr(self.owner, self.name)

        @wraps(genuine)
        async def hooked(*arguments: Any, **named: Any) -> Any:
            if self.is_before and _counts(self.name, arguments):
                reached()
            result = await genuine(*arguments, **named)
            if not self.is_before and _counts(self.name, arguments) and result is not _nothing_of(self.name):
                reached()
            return result

        setattr(self.owner, self.name, hooked)


STEPS: Mapping[str, Sequence[Place]] = {
    "fetched": [Place(Inbox, "store", is_before=True)],
    "stored": [Place(Inbox, "store")],
    "begun": [Place(Inbox, "take_next")],
    "reserved": [Place(IdempotentCall, "_reserve_apart")],
    "decided": [Place(Execution, "rehearse_and_decide")],
    "done": [Place(IdempotentCall, "_store", is_before=True)],
    "done under its key": [Place(IdempotentCall, "run")],
    "answering": [Place(Inbox, "end", is_before=True)],
    "answered": [Place(RunningBot, "_handle")],
    "sending": [Place(TelegramMessenger, name, is_before=True) for name in ("send", "replace")],
    "sent": [Place(TelegramMessenger, name) for name in ("send", "replace")],
    "removed": [Place(Outbox, "after")],
}
"""The steps by their names, in the order in which an update goes through them."""


def _counts(name: str, arguments: Sequence[Any]) -> bool:
    """False for a look at the messenger that has brought nothing."""
    return name != "store" or bool(arguments[1])


def _nothing_of(name: str) -> object:
    """The result that says that there was nothing to do."""
    return None if name == "take_next" else False if name == "_reserve_apart" else _nothing_of


def dying(moment: Moment | None) -> Program:
    """A server that ends at a moment, or only when it is told to; its leases are short, and the dead are known soon."""

    class Dying(Forked):
        def __init__(self, words: Sequence[str], environment: Mapping[str, str], directory: Path, out: Path, err: Path):
            arguments = (moment, list(words), dict(environment), directory, out, err)
            self._process = _FORKS.Process(target=_run_until, args=arguments)
            self._process.start()

    def program(words: Sequence[str], environment: Mapping[str, str], directory: Path, out: Path, err: Path) -> Process:
        return Dying(words, environment, directory, out, err)

    return program


def _run_until(moment: Moment | None, *arguments: Any) -> None:
    """In the forked process: hook the step, and serve."""
    inbox.LEASE, running_bot.RENEW_SECONDS, running_bot.SWEEP_SECONDS = timedelta(seconds=1), 0.2, 0.1
    running_bot.FIRST_PAUSE, presence.GRACE, presence._LOOK = 0.3, 0.3, 0.1
    if moment is not None:
        left = moment.count

        def reached() -> None:
            nonlocal left
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

        for place in STEPS[moment.step]:
            place.hook(reached)
    _run(*arguments)
