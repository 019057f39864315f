"""Emit invoices to the tax authority: for the first time, or anew to correct an earlier record."""

from collections.abc import Sequence
from typing import NamedTuple

from ledgerkit.core.einvoice import acts, output
from ledgerkit.core.einvoice.api import EInvoiceResult, EmitInput, Providers, RegimeShown
from ledgerkit.core.einvoice.authority import channels
from ledgerkit.core.einvoice.certificates import access
from ledgerkit.core.einvoice.chain import heads, history, lost_numbers
from ledgerkit.core.einvoice.chain.history import RecordWithStatus
from ledgerkit.core.einvoice.issuance import await_answer, correction, numbers, seals, ways_out
from ledgerkit.core.einvoice.issuance.numbers import EMISSION_ERRORS
from ledgerkit.core.einvoice.outbox import incidents
from ledgerkit.core.einvoice.producer_statement.operations import obligations
from ledgerkit.core.einvoice.table import RecordColumns
from ledgerkit.core.einvoice.texts import EInvoiceMsg
from ledgerkit.core.platform.documents import einvoicing_state, regimes
from ledgerkit.core.platform.documents.einvoicing_state import Off
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.sales.invoices.changes import rules as change_rules
from ledgerkit.core.sales.invoices.content import country_checks
from ledgerkit.core.sales.invoices.content.fields import InvoiceContent
from ledgerkit.core.sales.invoices.dates import warnings as date_warnings
from ledgerkit.core.sales.invoices.documents import issued as issued_documents
from ledgerkit.core.sales.invoices.issuance import lifecycle
from ledgerkit.core.sales.invoices.table import InvoiceRow
from ledgerkit.problems import BadGateway, Code, Invalid
from ledgerkit.providers.api import State

issued_documents.register_first_record(heads.first_record_stored_at)


@operation(Permission.ACCOUNT, unit=Unit.READING)
async def providers(ctx: Context) -> Providers:
    """Return the state of e-invoicing for the account, the countries that have it, and the legal deadlines."""
    countries = ctx.kernel.countries.countries
    regime = regimes.in_force(ctx.kernel, ctx.account)
    return Providers(
        country=ctx.account.country,
        has_e_invoice=ctx.country is not None and bool(ctx.country.channels),
        has_pac=False,
        supported_countries=sorted(code for code, country in countries.items() if country.channels),
        environment=ctx.settings.einvoice_env.value,
        einvoicing=einvoicing_state.state(ctx.kernel, ctx.account),
        off_because=einvoicing_state.reason_without_records(ctx.kernel, ctx.account),
        started=einvoicing_state.has_started(ctx.kernel, ctx.account),
        regime=None if regime is None else regime.key,
        regimes=_regimes(ctx),
        unrecorded=await _unrecorded(ctx),
        unsent=await incidents.unsent(ctx),
        warnings=await lost_numbers.recent_warnings(ctx),
        certificate=await access.certificate_in_use(ctx),
        obligations=obligations(channels.channel_of(ctx)),
    )


def _regimes(ctx: Context) -> list[RegimeShown]:
    """Return the regimes of the account's country in the language of the request, the usual one first."""
    offered = regimes.of_country(ctx.kernel, ctx.account.country)
    if offered is None:
        return []
    language, issuer = ctx.request_metadata.language, ctx.account.party()
    return [
        RegimeShown(
            regime=regime.key,
            name=regime.name.in_language(language),
            explanation=regime.explanation.in_language(language),
            recorded=regime.is_recorded,
            duty=None if (duty := offered.duty(regime.key, issuer)) is None else duty.in_language(language),
            source=regime.source,
        )
        for regime in offered.regimes
    ]


async def _unrecorded(ctx: Context) -> int:
    first = await heads.first_record_stored_at(ctx)
    return 0 if first is None else await issued_documents.unrecorded_since(ctx, first)


@operation(
    Permission.EINVOICE_EMIT,
    unit=Unit.OWN,
    errors=[*EMISSION_ERRORS, (BadGateway, {Code.AUTHORITY_SILENT})],
    effects=Effect.DESTRUCTIVE | Effect.IDEMPOTENT | Effect.OPEN_WORLD,
    act=acts.EMISSION,
)
async def emit(ctx: Context, data: EmitInput) -> EInvoiceResult:
    """Number, seal and chain the invoice in one transaction, then send it, waiting a few seconds for the answer.

    If the answer takes longer, the status is `pending` or `unknown`, and sending goes on by itself. An invoice that was
    emitted before answers with its result. It gets a new record with its present content when its last record was
    refused, or when `correct` asks for one. While the authority has somebody else's document under the invoice's
    number, every emission is refused with NUMBER_TAKEN. Only `renumber` gives the invoice the next number, and only
    `replace`, for the owner, replaces the authority's document. Raises Invalid before anything is numbered, also
    NOT_CORRECTABLE, PaymentRequired, NotFound; Forbidden for `replace`; BadGateway when the authority does not show
    what is to be replaced; Rejected when the authority refuses.
    """
    ways_out.check_request(ctx, data)
    if data.renumber or data.replace:
        await ways_out.look_again(ctx, data.invoice_id, must_be_seen=data.replace)
    answer = await ctx.transact(lambda inner: _record_to_answer_with(inner, data))
    record = answer.record
    if answer.is_taken:
        await ways_out.look_again(ctx, data.invoice_id, must_be_seen=False)
    wait = await_answer.until_answered if record.kind == "issue" else await_answer.current
    answered_record = await wait(ctx, record)
    emission_result = await output.result_after_answer(ctx, answered_record, answer.warnings)
    if answered_record.status.state == State.REJECTED:
        rejected = await_answer.rejection(emission_result)
        rejected.is_result = data.renumber  # repeated, it would burn one number more
        raise rejected
    return emission_result


class _ToAnswerWith(NamedTuple):
    """Record that answers an emission. `is_taken`: it was refused before, because somebody else has its number.

    `warnings`: doubts about the taxes and dates of an invoice that gets its first record now.
    """

    record: RecordColumns
    is_taken: bool = False
    warnings: Sequence[str] = ()


async def _record_to_answer_with(ctx: Context, data: EmitInput) -> _ToAnswerWith:
    """Return the record that answers this emission: a new one, or the one in force. The caller sends it.

    When another request has sealed a record while this one waited for the invoice's lock, that record answers.
    A document that was numbered without a record gets one now, with the present time, at the end of the chain.
    Raises as `numbers.issue`, also EINVOICING_OFF; NOT_CORRECTABLE, NotFound.
    """
    row = await lifecycle.fetch_locked_with(ctx, data.invoice_id, history.NEWEST_RECORD_ID)
    change_rules.check_own(row)
    if row.einvoice is None:  # it is set together with the first record
        if data.correct:
            raise correction.never_emitted(row)
        if data.renumber or data.replace:
            raise ways_out.not_taken(row.number)
        if row.unrecorded == Off.REGIME:  # issued under a regime of records elsewhere: it owes none here
            raise Invalid(EInvoiceMsg.ISSUED_UNDER_OTHER_REGIME, code=Code.EINVOICING_OFF, number=row.number)
        ctx = await numbers.lock_einvoicing_choice(ctx)
        channel = channels.reporting(ctx)
        content = InvoiceContent.of(row, ctx.account.today())
        doubts = await country_checks.doubts(ctx, content)
        if row.status != "draft":
            return _ToAnswerWith(await seals.seal(ctx, row, channel, awaited=True), warnings=doubts)
        doubts += await date_warnings.of_invoice(ctx, row)
        issued = await numbers.issue(ctx, row, awaited=True)
        assert issued.record is not None  # noqa: S101 - an account without e-invoicing was refused above
        return _ToAnswerWith(issued.record, warnings=doubts)
    records = await history.of_invoice(ctx, row.id)
    if records[-1].record.id != row.newest_id:
        return _ToAnswerWith(history.current(records).record)
    taken_record = history.number_taken(records)
    if taken_record is not None or data.renumber or data.replace:
        return await _way_out(ctx, row, records, data)
    current = history.current(records)
    if not await correction.is_due(ctx, row, records, requested=data.correct):
        return _ToAnswerWith(current.record)
    channel = correction.channel_of(ctx, current)
    return _ToAnswerWith(await seals.seal(ctx, row, channel, earlier=records, awaited=True))


async def _way_out(
    ctx: Context, row: InvoiceRow, records: Sequence[RecordWithStatus], data: EmitInput
) -> _ToAnswerWith:
    """Return the record of the way out that was demanded for a number that is taken; the refused one without any."""
    taken_record = history.number_taken(records)
    if taken_record is None:
        raise ways_out.not_taken(row.number)
    correction.check_environment(ctx, taken_record)
    channel = correction.channel_of(ctx, taken_record)
    if data.renumber:
        return _ToAnswerWith(await ways_out.renumber(ctx, row, channel, records))
    if data.replace:
        return _ToAnswerWith(await ways_out.replace_theirs(ctx, row, channel, records))
    return _ToAnswerWith(taken_record.record, is_taken=True)
