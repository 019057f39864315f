"""Computation and storage of a draft from the books of one moment, in spite of simultaneous changes.

The books are read in one snapshot, and the form computes while no connection is held. The result is stored only if the
draft is still the one of the snapshot; if it has changed meanwhile, everything is done again.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from uuid import UUID

from ledgerkit.core.declarations import queries as declaration_queries
from ledgerkit.core.declarations.api import Amends
from ledgerkit.core.declarations.computation import books
from ledgerkit.core.declarations.computation import columns as computation_columns
from ledgerkit.core.declarations.computation.books import Books
from ledgerkit.core.declarations.computation.columns import ComputedDeclaration, Decisions
from ledgerkit.core.declarations.forms import places
from ledgerkit.core.declarations.forms.installed import FormPeriod
from ledgerkit.core.declarations.table import BOXES, CHANGES, DeclarationRow, tax_declaration
from ledgerkit.core.declarations.texts import DeclarationsMsg
from ledgerkit.core.platform import records
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.event_loop.garbage import collection_paused
from ledgerkit.core.platform.request.context import Context
from ledgerkit.problems import PreconditionFailed

TRIES = 5

_NO_OTHERS = Values(DeclarationRow)


@dataclass(frozen=True, kw_only=True)
class Revision:
    """Change to the last declaration of a period.

    `columns` are other columns that change with it. `begins`: a new declaration amends it. `decides`: the taxpayer has
    decided something, so the result of somebody else's later computation cannot be used instead.
    """

    decisions: Decisions
    columns: Values[DeclarationRow]
    action: str
    begins: bool = False
    decides: bool = False


@dataclass(frozen=True, kw_only=True)
class Unsaved:
    """Result that belongs to `last`, the declaration in the snapshot; `content` as `queries.keep_content` takes it."""

    last: DeclarationRow | None
    revision: Revision
    computed: ComputedDeclaration
    content: Mapping[str, str]


Revise = Callable[[DeclarationRow | None], Revision]
Check = Callable[[ComputedDeclaration], None]


def generation(of: FormPeriod, last: DeclarationRow | None, amends: Amends | None) -> Revision:
    """Return the computation of a period: its first, that of its draft again, or with `amends` of a new declaration.

    Raises Invalid DECLARATION_SUBMITTED if the last declaration is submitted and no amendment is requested.
    """
    amendment = computation_columns.stored_amendment(amends)
    if last is None:
        return Revision(decisions=Decisions(amends=amendment), columns=_NO_OTHERS, action="generated")
    if last.status == "submitted" and amendment is not None:
        decisions = Decisions(overrides=Decisions.of(of, last).overrides, amends=amendment)
        return Revision(decisions=decisions, columns=_NO_OTHERS, action="generated", begins=True, decides=True)
    declaration_queries.check_draft(last)
    decisions = Decisions.of(of, last)
    if amendment is not None:
        decisions = decisions.amending(amendment)
    return Revision(decisions=decisions, columns=_NO_OTHERS, action="generated", decides=amendment is not None)


async def settle(ctx: Context, of: FormPeriod, revise: Revise, check: Check | None = None) -> UUID:
    """Compute and store the declaration of a period; return its id.

    `revise` receives the period's last declaration of the snapshot, and may refuse; `check` may refuse the result.
    Raises what they raise, Invalid DECLARATION_ELSEWHERE, and PreconditionFailed when others change the draft all the
    time.
    """
    for _ in range(TRIES):
        with collection_paused():  # to the end of the books, which are looked through in vain as long as they are there
            unsaved = await _unsaved(ctx, of, revise, check)
        declaration_id = await _store(ctx, of, unsaved)
        if declaration_id is not None:
            return declaration_id
    raise PreconditionFailed(DeclarationsMsg.CHANGED_MEANWHILE, form=of.label)


async def _unsaved(ctx: Context, of: FormPeriod, revise: Revise, check: Check | None) -> Unsaved:
    last, revision, period_books = await ctx.read_snapshot(lambda inner: _read(inner, of, revise))
    computed = await computation_columns.compute(of, period_books, revision.decisions)
    if check is not None:
        check(computed)
    return Unsaved(last=last, revision=revision, computed=computed, content=await computed.content())


async def _read(ctx: Context, of: FormPeriod, revise: Revise) -> tuple[DeclarationRow | None, Revision, Books]:
    last = await declaration_queries.newest(ctx, of)
    revision = revise(last)
    period_books = await books.read(ctx, of, _amendment(last, revision))
    places.check(of, period_books.profile)
    return last, revision, period_books


async def _store(ctx: Context, of: FormPeriod, unsaved: Unsaved) -> UUID | None:
    """Store the result; return None where it belongs to a draft that has changed since."""

    async def attempt(inner: Context) -> UUID | None:
        row = await declaration_queries.newest(inner, of, lock=True)
        if row is not None and _is_covered(row, unsaved.revision, unsaved.computed):
            return row.id
        if not _fits(of, row, unsaved):
            return None
        written = await _written(inner, of, row, unsaved.revision, unsaved.computed)
        if written is not None:
            await declaration_queries.keep_content(inner, written, unsaved.content)
        return written

    return await ctx.transact(attempt)


def _amendment(last: DeclarationRow | None, revision: Revision) -> int:
    return 0 if last is None else last.amendment + revision.begins


def _name(row: DeclarationRow | None) -> tuple[UUID, int] | None:
    return None if row is None else (row.id, row.version)


def _is_covered(row: DeclarationRow, revision: Revision, computed: ComputedDeclaration) -> bool:
    """Return True when somebody has stored what was computed from later books, and nothing was decided here."""
    return row.status == "draft" and row.generated_at > computed.read_at and not revision.decides


def _fits(of: FormPeriod, row: DeclarationRow | None, unsaved: Unsaved) -> bool:
    """Return True when the declaration is that of the snapshot, or nothing was decided about it since, by anybody."""
    if row is None or _name(row) == _name(unsaved.last):
        return _name(row) == _name(unsaved.last)
    is_draft = row.status == "draft" and not unsaved.revision.decides
    return is_draft and Decisions.of(of, row) == unsaved.revision.decisions


async def _written(
    ctx: Context, of: FormPeriod, row: DeclarationRow | None, revision: Revision, computed: ComputedDeclaration
) -> UUID | None:
    values = computed.columns() | revision.decisions.columns() | revision.columns
    if row is None or revision.begins:
        amended = Values(
            DeclarationRow, amendment=_amendment(row, revision), complementary_of=None if row is None else row.id
        )
        written = await records.add_unless_there(
            ctx, tax_declaration, values | declaration_queries.heading(of) | amended
        )
    else:
        moved = computation_columns.changes(of.exact(BOXES.decode(row.effective_boxes)), computed.effective)
        written = await records.change(
            ctx, tax_declaration, row.id, values | Values(DeclarationRow, changes=CHANGES.encode(moved))
        )
    if written is None:
        return None
    changed = _logged(of, None if revision.begins else row, revision, computed)
    await activity.record(ctx, revision.action, ("tax_declaration", written.id), of.label, changed)
    return written.id


def _logged(
    of: FormPeriod, before: DeclarationRow | None, revision: Revision, computed: ComputedDeclaration
) -> activity.Changes:
    """Return the result and the decisions that changed, as the activity log has them."""
    decided = Decisions() if before is None else Decisions.of(of, before)
    old = {**decided.logged(), "result": None if before is None else before.result}
    return activity.changed(old, {**revision.decisions.logged(), "result": computed.result})
