"""`ledgerkit serve` that ends at a chosen step of a conversation as by `kill -9`: nothing of it runs any more."""

import os
import signal
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import wraps
from pathlib import Path

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


def _always(_: Sequence[object], __: object) -> bool:
    return True


def _has_updates(arguments: Sequence[object], _: object) -> bool:
    """Return False for a look at the messenger that has brought nothing."""
    _, updates, *_ = arguments
    return bool(updates)


def _has_result(_: Sequence[object], result: object) -> bool:
    """Return False where there was nothing to do."""
    return result is not None and result is not False


@dataclass(frozen=True)
class Place:
    """A method before or after which a process ends. `counts` says of its arguments and its result whether it does.

    Before the method there is no result: it is None.
    """

    owner: type
    name: str
    is_before: bool = False
    counts: Callable[[Sequence[object], object], bool] = _always

    def hook(self, reached: Callable[[], None]) -> None:
        genuine: Callable[..., Awaitable[object]] = getattr(self.owner, self.name)

        @wraps(genuine)
        async def hooked(*arguments: object, **named: object) -> object:
            if self.is_before and self.counts(arguments, None):
                reached()
            result = await genuine(*arguments, **named)
            if not self.is_before and self.counts(arguments, result):
                reached()
            return result

        setattr(self.owner, self.name, hooked)


STEPS: Mapping[str, Sequence[Place]] = {
    "fetched": [Place(Inbox, "store", is_before=True, counts=_has_updates)],
    "stored": [Place(Inbox, "store", counts=_has_updates)],
    "begun": [Place(Inbox, "take_next", counts=_has_result)],
    "reserved": [Place(IdempotentCall, "_reserve_apart", counts=_has_result)],
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


def _run_until(moment: Moment | None, *arguments: object) -> None:
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
