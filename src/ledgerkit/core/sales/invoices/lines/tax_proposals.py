"""Tax categories that lines of a new draft take because they state no tax, by the rules of the account's country.

Only lines of the catalog's services take one: of any other line nobody knows that it is a service. A stated rate is
never changed, be it stated by the line, by the invoice, or by the card of its client.
"""

from collections.abc import Sequence
from uuid import UUID

from ledgerkit.core.catalog import queries as catalog_queries
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.clients import operations as clients
from ledgerkit.core.sales.invoices.api import InvoiceInput, InvoiceItemInput
from ledgerkit.core.sales.invoices.content.buyers import Buyer
from ledgerkit.core.sales.invoices.documents.origins import Origins
from ledgerkit.core.sales.invoices.texts import InvoicesMsg
from ledgerkit.providers.api import DocumentKind, Party, ServiceFacts, TaxProposal
from ledgerkit.texts import text

_TAX_FIELDS = (
    "tax_rate",
    "exemption_code",
    "regime_key",
    "not_subject_reason",
    "surcharge_rate",
    "purchase_cost",
    "tax",
    "cost_base",
)


async def for_new(
    ctx: Context, data: InvoiceInput, origins: Origins, client: Buyer, items: list[InvoiceItemInput]
) -> tuple[list[InvoiceItemInput], list[str]]:
    """Return the lines of a new draft with the categories that are proposed for them, and the warning that says so."""
    recipient = client.copy.party()
    is_original = data.doc_type is DocumentKind.INVOICE and origins.corrected is None and not origins.exchanged
    has_rate = data.tax_rate is not None or client.tax_rate is not None
    if ctx.country is None or recipient is None or has_rate or not is_original:
        return items, []
    positions = await _untaxed_services(ctx, items)
    proposal = await _proposal(ctx, data, client, recipient) if positions else None
    if proposal is None:
        return items, []
    change = {"tax_category": proposal.category}
    changed = [item.model_copy(update=change) if place in positions else item for place, item in enumerate(items)]
    listed = ", ".join(f"items[{position}]" for position in positions)
    warning = text(InvoicesMsg.TAX_PROPOSED, lines=listed, category=proposal.category.value, reason=proposal.text)
    return changed, [warning.in_language(ctx.request_metadata.language)]


async def _proposal(ctx: Context, data: InvoiceInput, client: Buyer, recipient: Party) -> TaxProposal | None:
    card = await clients.company_of(ctx, client.client_id)
    facts = ServiceFacts(
        issuer=ctx.account.party(),
        recipient=recipient,
        place_of_supply=data.place_of_supply,
        recipient_is_company=None if card is None else card.is_company,
    )
    return ctx.country.tax_proposals(facts) if ctx.country else None


async def _untaxed_services(ctx: Context, items: Sequence[InvoiceItemInput]) -> Sequence[int]:
    """Return the positions of the lines that are services of the catalog and state nothing about their tax."""
    silent = {
        position: UUID(item.catalog_item_id)
        for position, item in enumerate(items)
        if item.catalog_item_id is not None and not _states_tax(item)
    }
    services = await catalog_queries.services(ctx, silent.values())
    return [position for position, item_id in silent.items() if item_id in services]


def _states_tax(item: InvoiceItemInput) -> bool:
    is_stated = any(getattr(item, name) is not None for name in _TAX_FIELDS)
    return is_stated or "tax_category" in item.model_fields_set
