"""Settings of our sessions in PostgreSQL: how statements are planned, and how long one may take."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import timedelta

BACKGROUND = timedelta(minutes=15)
"""Longest time of a statement of background work, as long as a job may take."""

_UNHURRIED: ContextVar[bool] = ContextVar("unhurried", default=False)

PLANNED_FOR_ALL = {"plan_cache_mode": "force_generic_plan"}
"""For statements on reference tables, which find rows by their keys: one plan is right for all values."""

PLANNED_ANEW = {"plan_cache_mode": "force_custom_plan"}
"""For statements that see an account.

PostgreSQL plans by the number of rows that it expects, so a plan that is kept is the one of the account that came
first: for a new account it is often a nested loop, which a large one does not live to see the end of
(docs/adr/0036). What a partial index must see is written as a constant all the same, never as a parameter.
"""


def settings(statement_limit: timedelta | None) -> Mapping[str, str]:
    """Return the settings of every session; without `statement_limit` a statement may take any time.

    `client_connection_check_interval`: a statement ends soon after the process that sent it.
    """
    return {
        "jit": "off",
        "statement_timeout": _milliseconds(statement_limit),
        "client_connection_check_interval": "2s",
    }


@contextmanager
def unhurried() -> Iterator[None]:
    """Give the statements of this block, and of the tasks that it starts, the time limit of background work."""
    token = _UNHURRIED.set(True)
    try:
        yield
    finally:
        _UNHURRIED.reset(token)


def is_unhurried() -> bool:
    return _UNHURRIED.get()


def limit_in_force(statement_limit: timedelta | None) -> str:
    """Return the value of `statement_timeout` for the running code; `statement_limit` is that of requests."""
    return _milliseconds(BACKGROUND if statement_limit is not None and is_unhurried() else statement_limit)


def _milliseconds(limit: timedelta | None) -> str:
    return "0" if limit is None else str(round(limit.total_seconds() * 1000))
