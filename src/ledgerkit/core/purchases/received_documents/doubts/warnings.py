"""Warnings about an expense or a supplier invoice. They refuse nothing, and change no value."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from ledgerkit.core.platform.documents.filed_declarations import FiledDeclaration, filed_with
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.wordings import worded
from ledgerkit.core.purchases.received_documents.texts import ReceivedDocumentsMsg
from ledgerkit.providers.api import PurchaseFacts
from ledgerkit.texts import Joined, text


def of_tax(ctx: Context, facts: PurchaseFacts) -> list[str]:
    """Return the country's doubts in the language of the request."""
    country = ctx.kernel.countries.countries.get(ctx.account.country)
    if country is None:
        return []
    return [worded(ctx, doubt.text, doubt.words) for doubt in country.purchase_doubts(facts)]


async def of_stored(ctx: Context, facts: PurchaseFacts, recorded_at: datetime) -> list[str]:
    """Return the warnings about a document as it is stored: declarations that were filed later may well have it."""
    filed = [declaration for declaration in await filed_with(ctx, facts) if declaration.submitted_at < recorded_at]
    return [*of_tax(ctx, facts), *_of_filed(ctx, filed)]


async def of_change(ctx: Context, before: PurchaseFacts | None, after: PurchaseFacts | None) -> list[str]:
    """Return the warnings about a document that is recorded, changed or taken away; None where it does not count.

    Every declaration that was filed with it, or would count it now, differs from the books.
    """
    states = [facts for facts in (before, after) if facts is not None and before != after]
    filed = [declaration for facts in states for declaration in await filed_with(ctx, facts)]
    return [*(of_tax(ctx, after) if after is not None else ()), *_of_filed(ctx, filed)]


def _of_filed(ctx: Context, filed: Iterable[FiledDeclaration]) -> list[str]:
    """Return one warning that names all these declarations; none where there are none."""
    zone = ZoneInfo(ctx.account.time_zone)
    listed: Sequence[FiledDeclaration] = list({declaration.label: declaration for declaration in filed}.values())
    if not listed:
        return []
    names = [
        text(
            ReceivedDocumentsMsg.FILED,
            declaration=declaration.label,
            submitted=declaration.submitted_at.astimezone(zone).date(),
        )
        for declaration in listed
    ]
    warning = text(ReceivedDocumentsMsg.PERIOD_FILED, listed=Joined(tuple(names), ", "))
    return [warning.in_language(ctx.request_metadata.language)]
