"""Metering of AI actions: reserved before the work, charged with its result, released when it fails."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Errors
from ledgerkit.problems import Code, PaymentRequired

METERING_ERRORS: Errors = [(PaymentRequired, {Code.OUT_OF_TOKENS})]
"""Refusals of `metered`, for the declaration of an operation that uses it."""


class ActionKind(StrEnum):
    """Operation that an AI action pays for, as the interface calls it."""

    SCAN_RECEIPT = "scan-receipt"
    CATEGORIZE = "categorize"
    IMPORT_INVOICE = "import-invoice"


@dataclass(kw_only=True)
class MeteredAction:
    """Action that is reserved. The work sets `engine` to the name of what gave the result, as `rapidocr`."""

    id: UUID
    kind: ActionKind
    engine: str | None = None


@asynccontextmanager
async def metered(ctx: Context, kind: ActionKind) -> AsyncIterator[MeteredAction]:
    """Reserve one AI action for the work within; charge it when that ends, release it when that raises.

    For operations declared `unit=Unit.OWN`, outside of any transaction: the reservation and its end are short
    transactions. Raises PaymentRequired (OUT_OF_TOKENS) when nothing is left, before the work begins.
    """
    raise NotImplementedError
    yield
