"""Proposals of a draft about documents that differ from filed declarations of earlier periods, and their acceptance."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from ledgerkit.core.declarations import acts
from ledgerkit.core.declarations import output as declaration_output
from ledgerkit.core.declarations import queries as declaration_queries
from ledgerkit.core.declarations.api import DocumentChange, Proposal, ProposalAcceptance, ProposalKind, TaxDeclaration
from ledgerkit.core.declarations.computation import books, generation
from ledgerkit.core.declarations.computation.generation import Revision
from ledgerkit.core.declarations.forms import installed as forms
from ledgerkit.core.declarations.forms import places
from ledgerkit.core.declarations.forms.installed import FormPeriod
from ledgerkit.core.declarations.output import NOTHING_FOUND, Findings
from ledgerkit.core.declarations.proposals import earlier_periods
from ledgerkit.core.declarations.proposals.earlier_periods import EarlierPeriod
from ledgerkit.core.declarations.queries import ContentRow
from ledgerkit.core.declarations.table import DeclarationRow, StoredWarning, tax_declaration
from ledgerkit.core.declarations.texts import DeclarationsMsg
from ledgerkit.core.platform import records
from ledgerkit.core.platform.records.texts import RecordsMsg
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.purchases.expenses import operations as expenses
from ledgerkit.core.purchases.expenses.api import ExpenseChange
from ledgerkit.core.purchases.supplier_invoices import operations as supplier_invoices
from ledgerkit.problems import Code, Conflict, Invalid, NotFound, PreconditionFailed
from ledgerkit.texts import Text, text

_DIGEST_LENGTH = 16
_ALL = "all"


@dataclass(frozen=True, kw_only=True)
class ProposalName:
    """Subject of a proposal, and a digest of its amounts. `document_id` is None if it is about several documents."""

    kind: ProposalKind
    declaration_id: UUID
    document_id: UUID | None
    digest: str

    @classmethod
    def parse(cls, proposal_id: str) -> "ProposalName | None":
        """Return the contents of an id; None for a malformed one."""
        parts = proposal_id.split(".")
        try:
            kind, declaration_id, document_id, digest = parts
            document = None if document_id == _ALL else UUID(document_id)
            return cls(
                kind=ProposalKind(kind), declaration_id=UUID(declaration_id), document_id=document, digest=digest
            )
        except ValueError:
            return None

    def __str__(self) -> str:
        return f"{self.kind}.{self.declaration_id}.{self.document_id or _ALL}.{self.digest}"

    def is_about_the_same(self, other: "ProposalName") -> bool:
        """Return True for the same subject, whatever its amounts and its kind."""
        return (self.declaration_id, self.document_id) == (other.declaration_id, other.document_id)


@dataclass(frozen=True, kw_only=True)
class NamedProposal:
    name: ProposalName
    earlier: EarlierPeriod
    documents: Sequence[DocumentChange]
    words: Text

    def on_wire(self, language: str) -> Proposal:
        """Return the proposal as callers see it."""
        row = self.earlier.row
        return Proposal(
            id=str(self.name),
            kind=self.name.kind,
            message=self.words.in_language(language),
            declaration_id=str(row.id),
            form=row.form,
            year=row.year,
            period=row.period,
            amendment_id=row.amendment_id and str(row.amendment_id),
            documents=list(self.documents),
        )


async def _of_draft(ctx: Context, of: FormPeriod) -> Sequence[NamedProposal]:
    """Return the proposals about the filed earlier periods of a draft, the earliest first."""
    changed = await earlier_periods.changed(ctx, of)
    return [proposal for earlier in changed for proposal in _proposals(earlier)]


def warnings(proposals: Sequence[NamedProposal]) -> Sequence[StoredWarning]:
    """Return a warning for each filed declaration, which names all documents concerned."""
    named = {proposal.earlier.row.id: proposal.earlier for proposal in proposals}
    return [_warning(earlier) for earlier in named.values()]


def _proposals(earlier: EarlierPeriod) -> Iterator[NamedProposal]:
    for document in earlier.claimable:
        words = text(
            DeclarationsMsg.PROPOSAL_DEDUCT_NOW,
            number=document.number or document.document_id,
            party=document.party or "-",
            form=earlier.of.label,
        )
        yield _named(earlier, ProposalKind.DEDUCT_NOW, UUID(document.document_id), [document], words)
    if earlier.others:
        kind, message = _way(earlier)
        words = text(message, count=len(earlier.others), form=earlier.of.label, difference=abs(earlier.difference))
        yield _named(earlier, kind, None, earlier.others, words)


def _way(earlier: EarlierPeriod) -> tuple[ProposalKind, DeclarationsMsg]:
    """Return how to amend a period, by whether its result would be higher, lower or the same."""
    if earlier.difference > 0:
        return ProposalKind.COMPLETE, DeclarationsMsg.PROPOSAL_COMPLETE
    if earlier.difference < 0:
        return ProposalKind.RECTIFY, DeclarationsMsg.PROPOSAL_RECTIFY
    return ProposalKind.RECTIFY, DeclarationsMsg.PROPOSAL_AMEND


def _named(
    earlier: EarlierPeriod,
    kind: ProposalKind,
    document_id: UUID | None,
    documents: Sequence[DocumentChange],
    words: Text,
) -> NamedProposal:
    stated = [
        (document.document_id, [(box.box, str(box.before), str(box.after)) for box in document.boxes])
        for document in documents
    ]
    digest = hashlib.sha256(repr(stated).encode()).hexdigest()[:_DIGEST_LENGTH]
    name = ProposalName(kind=kind, declaration_id=earlier.row.id, document_id=document_id, digest=digest)
    return NamedProposal(name=name, earlier=earlier, documents=documents, words=words)


def _warning(earlier: EarlierPeriod) -> StoredWarning:
    documents = [*earlier.claimable, *earlier.others]
    words = text(DeclarationsMsg.EARLIER_CHANGED, count=len(documents), form=earlier.of.label)
    return forms.warning("earlier_period_changed", words, tuple(document.document_id for document in documents))


async def shown(ctx: Context, declaration_id: str) -> TaxDeclaration:
    """Return a declaration as it is stored, a draft with its proposals about filed periods. Raises NotFound."""

    async def attempt(inner: Context) -> tuple[DeclarationRow, ContentRow]:
        row = await records.fetch(inner, tax_declaration, declaration_id, declaration_queries.WHAT)
        return row, await declaration_queries.content(inner, row)

    row, content = await ctx.read(attempt)
    return declaration_output.whole(ctx, row, content, await proposed(ctx, row))


async def proposed(ctx: Context, row: DeclarationRow) -> Findings:
    """Return the proposals of a draft with their warnings; nothing for any other declaration."""
    of = forms.installed(ctx, row)
    if of is None or row.status != "draft":
        return NOTHING_FOUND
    named = await _of_draft(ctx, of)
    language = ctx.request_metadata.language
    return Findings(proposals=[document.on_wire(language) for document in named], warnings=warnings(named))


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
    act=acts.ACCEPTANCE,
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
    return await shown(ctx, str(settled))


async def _read(ctx: Context, declaration_id: str) -> DeclarationRow:
    return await ctx.read(lambda inner: records.fetch(inner, tax_declaration, declaration_id, declaration_queries.WHAT))


async def _standing(ctx: Context, of: FormPeriod, proposal_id: str) -> NamedProposal:
    """Return the proposal as it was read. Raises NotFound, and Conflict PROPOSAL_SUPERSEDED with the reason."""
    name = await _name_of(ctx, proposal_id)
    standing = await _of_draft(ctx, of)
    proposal = next((proposal for proposal in standing if proposal.name == name), None)
    if proposal is None:
        has_changed = any(proposal.name.is_about_the_same(name) for proposal in standing)
        reason = DeclarationsMsg.PROPOSAL_CHANGED if has_changed else DeclarationsMsg.PROPOSAL_SETTLED
        raise Conflict(reason, code=Code.PROPOSAL_SUPERSEDED, form=of.label)
    return proposal


async def _name_of(ctx: Context, proposal_id: str) -> ProposalName:
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
        await supplier_invoices.move_deduction(ctx, document.document_id, day)


async def _amended(ctx: Context, proposal: NamedProposal, data: ProposalAcceptance) -> UUID:
    of = proposal.earlier.of

    def revise(last: DeclarationRow | None) -> Revision:
        if data.amends is None and (last is None or last.status == "submitted"):
            raise Invalid.field("amends", DeclarationsMsg.AMENDS_MISSING, form=of.label)
        return generation.generation(of, last, data.amends)

    return await generation.settle(ctx, of, revise)
