"""Continue a chain that other software began: its last record is checked, confirmed by the authority, and linked to."""

from collections.abc import Iterator
from datetime import timedelta

import structlog

from ledgerkit import clock
from ledgerkit.core.einvoice.authority import channels, rejections
from ledgerkit.core.einvoice.certificates.access import AuthorityAccess, require_authority_access
from ledgerkit.core.einvoice.chain import heads
from ledgerkit.core.einvoice.chain.api import Confirmation, Continued, ContinueInput
from ledgerkit.core.einvoice.inspection import acts
from ledgerkit.core.einvoice.inspection.texts import InspectionMsg
from ledgerkit.core.einvoice.inspection.verification import chain_view
from ledgerkit.core.einvoice.table import ChainHeadRow, fiscal_installation
from ledgerkit.core.einvoice.transmission import inquiries
from ledgerkit.core.einvoice.transmission.inquiries import Inquiry
from ledgerkit.core.platform import records
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.problems import Code, FieldError, Invalid
from ledgerkit.providers.api import Auditing, ChainLink, Environment, FiscalChannel, Heading, Holding, Question

ANSWER_TIMEOUT = 30.0
"""Seconds to wait for the authority, whose absence must not keep an issuer from moving in."""

_IN_THE_FUTURE = FieldError.of("lastGeneratedAt", "VALIDATION_ERROR", InspectionMsg.TIME_IN_FUTURE)

log = structlog.get_logger()


@operation(
    Permission.EINVOICE_MANAGE,
    unit=Unit.OWN,
    errors=[(Invalid, {Code.EINVOICE_UNSUPPORTED, Code.CHAIN_BEGUN})],
    effects=Effect.DESTRUCTIVE,
    act=acts.CONTINUATION,
)
async def continue_from(ctx: Context, data: ContinueInput) -> Continued:
    """Link the first record here to the last one of the software used before, instead of beginning a chain.

    If that last record was reported, the authority is asked for it; an authority that does not answer stops nothing.
    Raises Invalid: CHAIN_BEGUN when there is a record already, what is wrong with the link, or that the authority does
    not hold that record.
    """
    channel, audits = _channel(ctx)
    head, access = await ctx.transact(lambda inner: _check_and_open(inner, channel, audits, data))
    confirmation = await _confirmation(ctx, channel, head, access, data)
    row = await ctx.transact(lambda inner: _link_to_last(inner, channel, audits, data, confirmation))
    return Continued(**chain_view(ctx, row).model_dump(), confirmation=confirmation)


def _channel(ctx: Context) -> tuple[FiscalChannel, Auditing]:
    channel = channels.active(ctx)
    if channel is None or channel.audits is None:
        raise Invalid(InspectionMsg.NO_CHAIN_TO_CONTINUE, code=Code.EINVOICE_UNSUPPORTED)
    return channel, channel.audits


async def _check_and_open(
    ctx: Context, channel: FiscalChannel, audits: Auditing, data: ContinueInput
) -> tuple[ChainHeadRow, AuthorityAccess]:
    head = await _head(ctx, channel, audits, data)
    return head, await require_authority_access(ctx, channel, Environment(head.environment), head.issuer_tax_id)


async def _link_to_last(
    ctx: Context, channel: FiscalChannel, audits: Auditing, data: ContinueInput, confirmation: Confirmation
) -> ChainHeadRow:
    """Store the last record of the other software as origin and end of the chain; return the chain's row."""
    values = Values(
        ChainHeadRow,
        origin_number=data.last_number,
        origin_issue_date=data.last_issue_date,
        origin_fingerprint=data.last_fingerprint,
        origin_generated_at=data.last_generated_at,
        last_number=data.last_number,
        last_issue_date=data.last_issue_date,
        last_fingerprint=data.last_fingerprint,
        last_generated_at=data.last_generated_at,
    )
    head = await _head(ctx, channel, audits, data)
    row = await records.change(ctx, fiscal_installation, head.id, values)
    changes = {"last_number": (None, data.last_number), "confirmation": (None, confirmation)}
    await heads.log_activity(ctx, "chain_continued", row, changes)
    return row


async def _head(ctx: Context, channel: FiscalChannel, audits: Auditing, data: ContinueInput) -> ChainHeadRow:
    """Return the locked head of the issuer's chain. Raises Invalid unless the last record may precede it."""
    environment = Environment(ctx.settings.einvoice_env.value)
    head = await heads.lock_open_head(ctx, channel, environment, ctx.account.tax_id or "")
    if head.position:
        raise Invalid(
            InspectionMsg.CHAIN_BEGUN,
            code=Code.CHAIN_BEGUN,
            hex=head.id.hex,
            position=head.position,
        )
    _check_link(ctx, head, data, audits)
    return head


def _check_link(ctx: Context, head: ChainHeadRow, data: ContinueInput, audits: Auditing) -> None:
    """Raise Invalid naming every field of the link that is wrong."""
    link = ChainLink(
        issuer_tax_id=head.issuer_tax_id,
        number=data.last_number,
        issue_date=data.last_issue_date,
        fingerprint=data.last_fingerprint,
    )
    names = {"issuer_tax_id": "issuer.taxId", "number": "lastNumber", "issue_date": "lastIssueDate"}
    errors = [
        rejections.field_error(problem, names.get(problem.field, "lastFingerprint"))
        for problem in audits.continues(link, ctx.account.today())
    ]
    if data.last_generated_at is not None and data.last_generated_at > clock.now():
        errors.append(_IN_THE_FUTURE)
    if errors:
        first = errors[0]
        raise Invalid(InspectionMsg.INVALID_LINK, errors=errors, field=first.field, reason=first.text.message)


# ---------------------------------------------------------------- the authority


async def _confirmation(
    ctx: Context, channel: FiscalChannel, head: ChainHeadRow, access: AuthorityAccess, data: ContinueInput
) -> Confirmation:
    """Ask the authority for the last record, outside any transaction. Raises Invalid when it does not hold it."""
    if not data.reported or channel.asks is None:
        return "not_asked"
    inquiry = Inquiry(
        channel=channel,
        asks=channel.asks,
        environment=Environment(head.environment),
        heading=Heading(issuer=heads.issuer_party(ctx, head), representative=access.representative),
        installation_id=head.id,
        access=access.access,
        seconds=ANSWER_TIMEOUT,
    )
    for question in _questions(data):
        async for page in inquiries.pages(ctx, inquiry, question):
            if page.answer.failure is not None:
                log.warning("a continued chain is not confirmed", installation=head.id.hex, why=page.answer.failure)
                return "no_answer"
            if _is_held(page.answer.holdings, data):
                return "held"
    raise Invalid.field(
        "lastNumber", InspectionMsg.RECORD_NOT_HELD, number=data.last_number, issue_date=data.last_issue_date
    )


def _questions(data: ContinueInput) -> Iterator[Question]:
    """Yield a question for each month that the operation may be of: the month of issue, then the one before."""
    issued_in = data.last_issue_date.replace(day=1)
    for month in (issued_in, (issued_in - timedelta(days=1)).replace(day=1)):
        yield Question(year=month.year, month=month.month, number=data.last_number)


def _is_held(holdings: tuple[Holding, ...], data: ContinueInput) -> bool:
    """Return True when the authority holds the last record.

    Raises Invalid when it holds another record of that document.
    """
    document = data.last_number, data.last_issue_date
    holding_of_last = next((each for each in holdings if (each.number, each.issue_date) == document), None)
    if holding_of_last is None:
        return False
    if holding_of_last.fingerprint not in {None, data.last_fingerprint}:
        raise Invalid.field(
            "lastFingerprint",
            InspectionMsg.OTHER_RECORD_HELD,
            last_number=data.last_number,
            fingerprint=holding_of_last.fingerprint,
        )
    return True
