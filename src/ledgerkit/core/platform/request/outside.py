"""Work that must be done outside of the transaction that needs it, because no transaction waits for the network."""

from collections.abc import Awaitable, Callable


class DoFirstError(Exception):
    """End of a transaction that needs `step` to be done outside of it first.

    The gate (`operation`) rolls back, does the step and runs the operation again.
    """

    def __init__(self, step: Callable[[], Awaitable[None]]) -> None:
        super().__init__()
        self.step = step
