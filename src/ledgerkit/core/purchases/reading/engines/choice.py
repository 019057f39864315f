"""Engines that read a document, tried in order: the configured model, then the recognition that needs no network."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

import structlog

from ledgerkit.core.platform.ai.model import ModelClient, ModelFailure
from ledgerkit.core.platform.ai.model.failures import not_configured
from ledgerkit.core.platform.confined.lanes import BusyError, CannotStartError
from ledgerkit.core.platform.confined.process import ProcessDiedError, TimeLimitError
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Errors
from ledgerkit.core.purchases.reading.engines.model import INSTRUCTIONS, ModelDocument, is_empty, reading_of
from ledgerkit.core.purchases.reading.fields.receipt import amounts_agree
from ledgerkit.core.purchases.reading.ocr.recogniser import Recogniser, UnreadablePageError
from ledgerkit.core.purchases.reading.texts import ReadingMsg
from ledgerkit.problems import BadGateway, Code, Problem, Unavailable
from ledgerkit.providers.api import DocumentReader, DocumentReading, ReadField, TextLine

ENGINE_ERRORS: Errors = [
    (BadGateway, {Code.AI_FAILED}),
    (Unavailable, {Code.AI_BUSY, Code.AI_NOT_CONFIGURED, Code.SERVER_BUSY}),
]
"""Refusals of `read_document`."""

_OFFLINE_ENGINE = "rapidocr"
_BUSY_SECONDS = 10

_CONTRADICTED = 0.3
"""Confidence of a total that contradicts base and tax, where no rules of a country judge it."""

log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class ReadDocument:
    """Reading of a document, checked by the country's rules, and the name of the engine that made it."""

    reading: DocumentReading
    engine: str


def require_engine(ctx: Context) -> None:
    """Raise Unavailable AI_NOT_CONFIGURED when nothing is installed that could read a document."""
    if not (ctx.kernel.service(ModelClient).configured or _rules(ctx)):
        raise not_configured()


async def read_document(ctx: Context, pages: Sequence[bytes]) -> ReadDocument:
    """Return what the first engine that succeeds reads on the pages; outside of any transaction.

    A model that fails, or reads nothing, is followed by the recognition without a network, where that is installed.
    Raises the problem of the model, else that of the recognition; Unavailable AI_NOT_CONFIGURED without an engine.
    """
    failure: Problem | None = None
    by_model: ReadDocument | None = None
    if ctx.kernel.service(ModelClient).configured:
        try:
            by_model = await _by_model(ctx, pages)
        except ModelFailure as error:
            log.warning("reading.model-failed", kind=error.kind.value, detail=error.detail)
            failure = error.problem()
        if by_model is not None and not is_empty(by_model.reading):
            return by_model
    rules = _rules(ctx)
    if rules is not None:
        try:
            return await _offline(ctx, rules, pages)
        except Problem as problem:
            if by_model is None:
                raise failure or problem from None
    if by_model is not None:
        return by_model
    raise failure or not_configured()


async def _by_model(ctx: Context, pages: Sequence[bytes]) -> ReadDocument:
    model = ctx.kernel.service(ModelClient)
    extraction = await model.extract(ModelDocument, instructions=INSTRUCTIONS, images=pages)
    return ReadDocument(reading=_checked(ctx, reading_of(extraction.value)), engine=extraction.engine)


def _rules(ctx: Context) -> DocumentReader | None:
    """Return the country's rules for the lines that are recognised; None where no recognition is installed."""
    return ctx.country.readings if ctx.country and ctx.kernel.service(Recogniser).installed() else None


async def _offline(ctx: Context, rules: DocumentReader, pages: Sequence[bytes]) -> ReadDocument:
    lines = await _recognised(ctx, pages)
    reading = await asyncio.to_thread(rules.read, lines, ctx.account.today())
    return ReadDocument(reading=reading, engine=_OFFLINE_ENGINE)


async def _recognised(ctx: Context, pages: Sequence[bytes]) -> list[TextLine]:
    """Return the lines of text on the pages. Raises Unavailable SERVER_BUSY, BadGateway AI_FAILED."""
    recogniser = ctx.kernel.service(Recogniser)
    recognised: list[TextLine] = []
    try:
        for number, page in enumerate(pages):
            recognised += await recogniser.lines(ctx.account.id, page, number)
    except BusyError:
        headers = {"Retry-After": str(_BUSY_SECONDS)}
        raise Unavailable(ReadingMsg.RECOGNITION_BUSY, code=Code.SERVER_BUSY, headers=headers) from None
    except (UnreadablePageError, TimeLimitError, ProcessDiedError, CannotStartError):
        raise BadGateway(ReadingMsg.RECOGNITION_FAILED, code=Code.AI_FAILED) from None
    return recognised


def _checked(ctx: Context, reading: DocumentReading) -> DocumentReading:
    """Return a model's reading without what the country's rules disprove; without rules, by its arithmetic alone."""
    if ctx.country is not None and ctx.country.readings is not None:
        return ctx.country.readings.checked(reading, ctx.account.today())
    if amounts_agree(reading):
        return reading
    total = ReadField(value=reading.total.value, confidence=_CONTRADICTED)
    return replace(reading, total=total, subtotal=ReadField(), tax_total=ReadField(), taxes=())
