"""State of a dry run: the steps that are left out, and the resulting preview."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, NoReturn, Protocol, TypeVar, runtime_checkable
from uuid import UUID

from ledgerkit.core.platform.api_types.wire import Wire
from ledgerkit.core.platform.database.transactions import Database
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.problems import Problem
from ledgerkit.texts import MessageId

PREVIEW_MEDIA = "application/vnd.ledgerkit.dry-run+json"
"""Media type of the answer to a dry run over HTTP. In that of results, each result would be one of two types."""

T_co = TypeVar("T_co", covariant=True)


class StepLeftOutError(Exception):
    """End of a dry run at a step that is left out and whose result all later steps need."""


@dataclass
class Rights:
    """Permissions that a dry run has asked for: those that the caller holds and lacks.

    `of_others` are those that anybody else needs to do it, or to see what it shows.
    """

    held: set[Permission] = field(default_factory=set)
    lacked: set[Permission] = field(default_factory=set)
    of_others: set[Permission] = field(default_factory=set)


@dataclass
class DryRun:
    """One dry run under way, `ctx.kernel.dry_run`; `left_out` names the steps that were left out, each once."""

    left_out: list[MessageId] = field(default_factory=list)
    results: list[Problem] = field(default_factory=list)
    """Problems that leave something done: the results of operations that declare them as `final`."""
    writes: Sequence[Wire] | None = None
    """Entries that the activity log would get, where the act that was run has read them itself at its end."""
    rights: Rights = field(default_factory=Rights)

    def leave_out(self, step: MessageId) -> None:
        """Note that a step is left out; the operation goes on without it."""
        if step not in self.left_out:
            self.left_out.append(step)

    def end_at(self, step: MessageId) -> NoReturn:
        """Leave out a step that the answer needs. Raises StepLeftOutError."""
        self.leave_out(step)
        raise StepLeftOutError


@dataclass(frozen=True, kw_only=True)
class Preview(Generic[T_co]):
    """Outcome of a dry run: the answer that would be given, and the entries that the activity log would get.

    `answer` is None also where the dry run ended at a step that it leaves out: then `is_complete` is False, and
    `writes` has the entries up to that step. `left_out` has the message ids of all such steps. `problem` is the
    result of an operation that would leave something done and answer with a problem.
    """

    answer: T_co | None
    writes: Sequence[Wire]
    left_out: Sequence[MessageId]
    is_complete: bool = True
    problem: Problem | None = None
    rights: Rights = field(default_factory=Rights)


@runtime_checkable
class DryRunService(Protocol):
    """A service that operations may use in a dry run; other services are not available."""

    def in_dry_run(self, dry_run: DryRun) -> object:
        """Return the replacement of this service in a dry run: it changes nothing and contacts nobody.

        That is the service itself where it never does; else an instance of a subclass, which names in `dry_run` the
        steps that it leaves out.
        """


class WriteLog(ABC):
    """Reader of the activity log, for previews; a service, because the log lies above."""

    @abstractmethod
    async def entries(self, database: Database, account_ids: Iterable[UUID], since: UUID) -> list[Wire]:
        """Return the entries that the open transaction has written since the id `since`, in their order."""
