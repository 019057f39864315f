"""Stored messages as the messenger gets them, with the PDF of an invoice or a draft, made when it is sent."""

from dataclasses import replace
from uuid import UUID

from ledgerkit.core.messaging import queries
from ledgerkit.core.messaging.messengers.messenger import BotMessage, ChatButton, PageButton, SentFile
from ledgerkit.core.messaging.table import StoredButton, StoredMessage
from ledgerkit.core.platform.approvals import operations as approvals
from ledgerkit.core.platform.identity import queries as identity_queries
from ledgerkit.core.platform.identity.logins import authentication
from ledgerkit.core.platform.request.context import Channel, Context, Kernel, RequestMetadata
from ledgerkit.core.sales.invoices.api import InvoiceInput
from ledgerkit.core.sales.invoices.pdf import printed_invoice
from ledgerkit.core.sales.invoices.previews import printed_draft
from ledgerkit.problems import Code, Problem, Unavailable


async def outgoing(
    kernel: Kernel, stored: StoredMessage, link_id: UUID | None, *, is_patient: bool = True
) -> BotMessage:
    """Return a message to be sent. A PDF that the reader may not see any more, or that cannot be made, is left out.

    Raises Unavailable where it may be made later, unless nobody waits for that any more.
    """
    document = None
    if link_id is not None and (stored.invoice_pdf is not None or stored.draft_pdf is not None):
        document = await _pdf(kernel, stored, link_id, is_patient=is_patient)
    return BotMessage(
        title=stored.title,
        lines=stored.lines,
        buttons=[[_button(one) for one in row] for row in stored.buttons],
        document=document,
    )


def _button(stored: StoredButton) -> ChatButton | PageButton:
    if stored.url is not None:
        return PageButton(label=stored.label, url=stored.url)
    return ChatButton(label=stored.label, data=stored.data or "")


async def _pdf(kernel: Kernel, stored: StoredMessage, link_id: UUID, *, is_patient: bool) -> SentFile | None:
    row = await identity_queries.fetch_row(kernel, queries.BY_LINK, link=link_id)
    if row is None:
        return None
    reader = replace(authentication.actor_of(row), channel=Channel.MESSAGING)
    ctx = Context(kernel=kernel, who=reader, request_metadata=RequestMetadata())
    try:
        if stored.invoice_pdf is not None:
            name, content = await printed_invoice.pdf(ctx, stored.invoice_pdf)
        else:
            proposal = await approvals.get(ctx, stored.draft_pdf or "")
            name, content = await printed_draft.proposed_pdf(ctx, InvoiceInput.model_validate(proposal.arguments))
    except Problem as problem:
        if is_patient and isinstance(problem, Unavailable) and problem.code is not Code.PDF_LIBRARIES_MISSING:
            raise
        return None
    return SentFile(name=name, media_type="application/pdf", content=content)
