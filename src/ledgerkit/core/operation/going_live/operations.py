"""Go live: see what is missing and what would be set aside, and do it once."""

from collections.abc import Sequence
from functools import partial
from uuid import UUID

from ledgerkit.core.einvoice.authority import rejections
from ledgerkit.core.operation.going_live import queries
from ledgerkit.core.operation.going_live.api import GoLiveInput, GoLiveStatus, Lack, TrialContent
from ledgerkit.core.operation.going_live.readiness import lacks as readiness
from ledgerkit.core.operation.going_live.texts import GoingLiveMsg
from ledgerkit.core.operation.going_live.trial import archive
from ledgerkit.core.platform.attachments.store import account as attachments
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.platform.identity.accounts import trials
from ledgerkit.core.platform.identity.persons import guard
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.problems import Code, Invalid, Unavailable
from ledgerkit.providers.api import FieldProblem
from ledgerkit.settings import EInvoiceEnvironment
from ledgerkit.texts import Text, text

SETTING = "LEDGERKIT_EINVOICE_ENV=production"
_ROUNDS = 5
"""Most rounds in which contents are looked for that were attached while others were being copied."""


@operation(Permission.EINVOICE_READ, unit=Unit.OWN, effects=Effect.READ_ONLY)
async def status(ctx: Context, data: GoLiveInput) -> GoLiveStatus:
    """Return whether the account is live; while it is not, what production lacks and what would be set aside."""
    return await _whole_status(ctx, data)


@operation(
    Permission.EINVOICE_GO_LIVE,
    unit=Unit.OWN,
    errors=[
        (Invalid, {Code.NOT_READY_FOR_PRODUCTION}),
        (Unavailable, {Code.SERVER_BUSY}),
        *guard.PROOF_ERRORS,
    ],
    effects=Effect.DESTRUCTIVE | Effect.IDEMPOTENT,
    proposable=False,
)
async def go_live(ctx: Context, data: GoLiveInput, *, even_incomplete: bool = False) -> GoLiveStatus:
    """Set the trial aside, keep clients, vendors, catalog, team and settings, and begin with the number 1.

    All of it in one transaction; nothing for an account that is live already. `even_incomplete` is for the operator,
    who may not leave a trial where production begins: what the account lacks then, it needs before its first record.
    Raises Invalid NOT_READY_FOR_PRODUCTION with everything that is missing, Unavailable SERVER_BUSY, PasswordNeeded.
    """
    guard.require_recent_password(ctx)
    copied: set[str] = set()
    for _ in range(_ROUNDS):
        archive_id, uncopied = await ctx.transact(
            partial(_attempt, data=data, copied=frozenset(copied), even_incomplete=even_incomplete)
        )
        if not uncopied:
            break
        await attachments.copy(ctx.kernel, ctx.account.id, archive_id, uncopied)
        copied |= uncopied
    else:
        raise Unavailable(GoingLiveMsg.BUSY, code=Code.SERVER_BUSY, headers={"Retry-After": "5"})
    return await _whole_status(ctx, data)


async def _attempt(
    ctx: Context, data: GoLiveInput, copied: frozenset[str], *, even_incomplete: bool
) -> tuple[UUID, set[str]]:
    """Go live, or return the archive and the contents that it must hold before that.

    An archive without its contents is an empty account of nobody: the next attempt finds it.
    """
    locked = await accounts.with_locked_profile(ctx, exclusive=True)
    if trials.is_live(ctx.kernel, locked.account):
        return locked.account.id, set()
    lacking = await readiness.missing(locked, even_incomplete=even_incomplete)
    if lacking:
        raise _not_ready(lacking)
    name = text(GoingLiveMsg.ARCHIVE_NAME, name=locked.account.name)
    language = ctx.request_metadata.language
    archive_id = await trials.make_archive(ctx.db, locked.account.id, name.in_language(language))
    if ctx.kernel.dry_run is None:
        kinds = archive.document_kinds(keep_purchases=data.keep_purchases)
        uncopied = await attachments.contents(locked, kinds) - copied
        if uncopied:
            return archive_id, uncopied
    await archive.set_aside(locked, archive_id, keep_purchases=data.keep_purchases)
    return archive_id, set()


async def _whole_status(ctx: Context, data: GoLiveInput) -> GoLiveStatus:
    """Read the account, and after it its archive: neither connection is held while the other is waited for."""

    async def attempt(inner: Context) -> GoLiveStatus:
        return await _status(await accounts.with_current_profile(inner), data)

    shown = await ctx.read(attempt)
    if shown.archive_id is None:
        return shown
    return shown.model_copy(update={"set_aside": await _archived(ctx, UUID(shown.archive_id))})


async def _status(ctx: Context, data: GoLiveInput) -> GoLiveStatus:
    account, environment = ctx.account, ctx.settings.einvoice_env
    counts = await queries.counts(ctx.db)
    archive_id = await trials.archive_of(ctx.db, account.id)
    is_live = trials.is_live(ctx.kernel, account)
    aside = queries.NOTHING if is_live else queries.set_aside(counts, keep_purchases=data.keep_purchases)
    lacking = [] if is_live else await readiness.missing(ctx)
    return GoLiveStatus(
        state="live" if is_live else "trial",
        environment=environment,
        live_since=account.live_since,
        missing=_shown(ctx, lacking),
        set_aside=aside,
        kept=queries.kept(counts, keep_purchases=is_live or data.keep_purchases),
        archive_id=str(archive_id) if is_live and archive_id is not None else None,
        next_steps=_in_language(ctx, _next_steps(environment)),
        notes=_in_language(ctx, readiness.notes(ctx)),
    )


async def _archived(ctx: Context, archive_id: UUID) -> TrialContent:
    async with ctx.kernel.database.reading(archive_id) as db:
        return queries.set_aside(await queries.counts(db), keep_purchases=False)


def _next_steps(environment: EInvoiceEnvironment) -> list[Text]:
    """Return what the operator does after this: the server reports to the authority that its settings name."""
    if environment is EInvoiceEnvironment.PRODUCTION:
        return []
    return [text(GoingLiveMsg.RESTART_IN_PRODUCTION, setting=SETTING)]


def _not_ready(lacking: Sequence[FieldProblem]) -> Invalid:
    return Invalid(
        GoingLiveMsg.NOT_READY,
        code=Code.NOT_READY_FOR_PRODUCTION,
        errors=[rejections.field_error(problem) for problem in lacking],
        fields=", ".join(problem.field for problem in lacking),
    )


def _shown(ctx: Context, lacking: Sequence[FieldProblem]) -> list[Lack]:
    wordings = [problem.text.wording(ctx.request_metadata.language) for problem in lacking]
    return [
        Lack(field=problem.field, code=problem.code, message=wording.message, remedy=wording.remedy or None)
        for problem, wording in zip(lacking, wordings, strict=True)
    ]


def _in_language(ctx: Context, texts: Sequence[Text]) -> list[str]:
    return [text.in_language(ctx.request_metadata.language) for text in texts]
