"""Declarations that have been filed for a day. A domain above tells them, because invoices may not import it."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import date, datetime
from typing import NamedTuple, TypeAlias

from ledgerkit.core.platform.request.context import Context


class FiledDeclaration(NamedTuple):
    """Declaration that was submitted: `label` is its form and period for people, as `303 2026 Q3`."""

    label: str
    submitted_at: datetime


Teller: TypeAlias = Callable[[Context, date], Awaitable[Sequence[FiledDeclaration]]]
"""Returns the filed declarations of which an issued document that counts on a day would be a part."""

_TELLERS: list[Teller] = []


def told_by(teller: Teller) -> None:
    """Register a function that tells which declarations have been filed."""
    _TELLERS.append(teller)


async def of_day(ctx: Context, day: date) -> list[FiledDeclaration]:
    return [declaration for teller in _TELLERS for declaration in await teller(ctx, day)]
