"""Proposals: operations that a person agrees to before they are done. The gate asks here; the records lie above."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from typing import Any, NoReturn

from ledgerkit.core.platform.api_types.wire import Wire
from ledgerkit.core.platform.request.context import Context


class ProposedError(Exception):
    """End of a request whose operation was not done: a person is asked about it first.

    `approval` is the stored proposal. `token` confirms it over the channel that was asked; None where only the web app
    takes an answer.
    """

    def __init__(self, approval: Wire, token: str | None = None) -> None:
        super().__init__()
        self.approval = approval
        self.token = token


class ApprovalDesk(ABC):
    """Service that stores proposals and does what has been agreed to."""

    @abstractmethod
    async def propose(self, ctx: Context, name: str, arguments: dict[str, Any]) -> NoReturn:
        """Store the proposal of an operation with these arguments by name. Raises ProposedError, and its problems."""

    @abstractmethod
    async def agree(self, ctx: Context, name: str, arguments: dict[str, Any], run: Callable[[], Awaitable[Any]]) -> Any:
        """Return the result of an operation with an act: of `run` where nobody is asked, or of what was agreed to.

        `ctx.request_metadata.agreement` says how a person is asked; without it only the web app can ask. Raises
        ProposedError where a person has to be asked, Conflict for a token that does not fit, and the operation's
        problems.
        """
