"""Proposals of a draft: what to do about documents that differ from filed declarations of earlier periods."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from ledgerkit.core.declarations import output as declaration_output
from ledgerkit.core.declarations import queries as declaration_queries
from ledgerkit.core.declarations.api import DocumentChange, Proposal, ProposalKind, TaxDeclaration
from ledgerkit.core.declarations.forms import installed as forms
from ledgerkit.core.declarations.forms.installed import FormPeriod
from ledgerkit.core.declarations.output import NOTHING_FOUND, Findings
from ledgerkit.core.declarations.proposals import earlier_periods
from ledgerkit.core.declarations.proposals.earlier_periods import EarlierPeriod
from ledgerkit.core.declarations.queries import ContentRow
from ledgerkit.core.declarations.table import DeclarationRow, StoredWarning, tax_declaration
from ledgerkit.core.declarations.texts import DeclarationsMsg
from ledgerkit.core.platform import records
from ledgerkit.core.platform.request.context import Context
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


async def of_draft(ctx: Context, of: FormPeriod) -> Sequence[NamedProposal]:
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
    named = await of_draft(ctx, of)
    language = ctx.request_metadata.language
    return Findings(proposals=[document.on_wire(language) for document in named], warnings=warnings(named))
