"""Acceptance of a proposal: a purchase is claimed in the draft's period, or a filed declaration is amended."""

from datetime import date
from uuid import UUID

from ledgerkit.core.declarations import queries as declaration_queries
from ledgerkit.core.declarations.api import DocumentChange, ProposalAcceptance, ProposalKind, TaxDeclaration
from ledgerkit.core.declarations.computation import books, generation
from ledgerkit.core.declarations.computation.generation import Revision
from ledgerkit.core.declarations.forms import installed as forms
from ledgerkit.core.declarations.forms import places
from ledgerkit.core.declarations.forms.installed import FormPeriod
from ledgerkit.core.declarations.proposals import documents as proposals
from ledgerkit.core.declarations.proposals.documents import NamedProposal, ProposalName
from ledgerkit.core.declarations.table import DeclarationRow, tax_declaration
from ledgerkit.core.declarations.texts import DeclarationsMsg
from ledgerkit.core.platform import records
from ledgerkit.core.platform.records.texts import RecordsMsg
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.purchases.expenses import operations as expenses
from ledgerkit.core.purchases.expenses.api import ExpenseChange
from ledgerkit.core.purchases.supplier_invoices.amounts import deduction_day
from ledgerkit.problems import Code, Conflict, Invalid, NotFound, PreconditionFailed


@operation(
    Permission.DECLARATIONS_WRITE,
    unit=Unit.OWN,
    errors=[
        (Conflict, {Code.PROPOSAL_SUPERSEDED}),
        (
            Invalid,
            {Code.DECLARATION_SUBMITTED, Code.DECLARATION_ELSEWHERE, Code.SUPPLIER_INVOICE_CANCELLED},
        ),
    ],
)
async def accept_proposal(ctx: Context, declaration_id: str, data: ProposalAcceptance) -> TaxDeclaration:
    """Carry out a draft's proposal, and return the resulting draft.

    `deduct_now` moves the purchase's deduction into the draft's period and computes the draft again. `complete` and
    `rectify` begin the declaration that amends the filed one, or compute it again if it was begun. Raises NotFound;
    Conflict PROPOSAL_SUPERSEDED where the books have moved on; Invalid DECLARATION_SUBMITTED, DECLARATION_ELSEWHERE,
    and for an amendment without the receipt of what it amends.
    """
    row = await _read(ctx, declaration_id)
    if not ctx.request_metadata.expects(row.version):
        raise PreconditionFailed(RecordsMsg.VERSION_CHANGED, what=declaration_queries.WHAT, version=row.version)
    declaration_queries.check_draft(row)
    of = forms.target_of(ctx, row)
    proposal = await _standing(ctx, of, data.proposal_id)
    if proposal.name.kind is ProposalKind.DEDUCT_NOW:
        await _deduct(ctx, of, row, proposal.documents[0])
        settled = await generation.settle(ctx, of, lambda last: generation.generation(of, last, None))
    else:
        settled = await _amended(ctx, proposal, data)
    return await proposals.shown(ctx, str(settled))


async def _read(ctx: Context, declaration_id: str) -> DeclarationRow:
    return await ctx.read(lambda inner: records.fetch(inner, tax_declaration, declaration_id, declaration_queries.WHAT))


async def _standing(ctx: Context, of: FormPeriod, proposal_id: str) -> NamedProposal:
    """Return the proposal as it was read. Raises NotFound, and Conflict PROPOSAL_SUPERSEDED with the reason."""
    name = await _named(ctx, proposal_id)
    standing = await proposals.of_draft(ctx, of)
    proposal = next((proposal for proposal in standing if proposal.name == name), None)
    if proposal is None:
        has_changed = any(proposal.name.is_about_the_same(name) for proposal in standing)
        reason = DeclarationsMsg.PROPOSAL_CHANGED if has_changed else DeclarationsMsg.PROPOSAL_SETTLED
        raise Conflict(reason, code=Code.PROPOSAL_SUPERSEDED, form=of.label)
    return proposal


async def _named(ctx: Context, proposal_id: str) -> ProposalName:
    """Return what an id names. Raises NotFound for one that is none, or not of a declaration of this account."""
    name = ProposalName.parse(proposal_id)
    try:
        if name is not None:
            await _read(ctx, str(name.declaration_id))
            return name
    except NotFound:
        pass
    raise NotFound(DeclarationsMsg.PROPOSAL_UNKNOWN, proposal=proposal_id)


async def _deduct(ctx: Context, of: FormPeriod, draft: DeclarationRow, document: DocumentChange) -> None:
    """Move the deduction of a document into the period of a draft that is one still, and is filed here."""
    span = of.period.span
    day = min(max(ctx.account.today(), span.first), span.last)

    async def attempt(inner: Context) -> None:
        declaration_queries.check_draft(
            await records.fetch_locked(inner, tax_declaration, str(draft.id), declaration_queries.WHAT)
        )
        places.check(of, await books.profile(inner, of.provider))
        await _move_deduction(inner, document, day)

    await ctx.transact(attempt)


async def _move_deduction(ctx: Context, document: DocumentChange, day: date) -> None:
    if document.origin == "expense":
        await expenses.update(ctx, document.document_id, ExpenseChange(deduction_date=day))
    else:
        await deduction_day.move(ctx, document.document_id, day)


async def _amended(ctx: Context, proposal: NamedProposal, data: ProposalAcceptance) -> UUID:
    of = proposal.earlier.of

    def revise(last: DeclarationRow | None) -> Revision:
        if data.amends is None and (last is None or last.status == "submitted"):
            raise Invalid.field("amends", DeclarationsMsg.AMENDS_MISSING, form=of.label)
        return generation.generation(of, last, data.amends)

    return await generation.settle(ctx, of, revise)
