"""What an invoice would come to: the whole arithmetic, and nothing written."""

from typing import Any

from ledgerkit.core.documents import tax_ids
from ledgerkit.core.invoices import drafting, lifecycle, origins, representation
from ledgerkit.core.invoices.drafting import DRAFTING_ERRORS
from ledgerkit.core.invoices.schemas import InvoiceInput, InvoicePreview
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Effect, operation
from ledgerkit.core.request.permissions import Permission
from ledgerkit.problems import Code, NotFound


@operation(
    Permission.INVOICES_DRAFT,
    name="invoices.preview.preview",
    errors=[*DRAFTING_ERRORS, (NotFound, {Code.NOT_FOUND})],
    effects=Effect.READ_ONLY,
)
async def preview(ctx: Context, data: InvoiceInput) -> InvoicePreview:
    """Totals, lines and dates of the draft that `data` would make, refused for the same reasons.

    `warnings` tell what would hinder issuing it today, and what is doubtful. No client is stored.
    """
    values, warnings = await drafting.new_values(ctx, data, await origins.resolve(ctx, data), storing=False)
    shown = {name: representation.text_id(values[name]) for name in InvoicePreview.model_fields if name in values}
    return InvoicePreview.model_validate(shown | {"warnings": [*warnings, *await _warnings(ctx, values)]})


async def _warnings(ctx: Context, values: dict[str, Any]) -> list[str]:
    found = []
    if values["issue_date"] > ctx.account.today():
        found.append("issueDate: it cannot be issued before its date")
    last = await lifecycle.last_date(ctx, values["series"], values["issue_date"].year)
    if last is not None and values["issue_date"] < last:
        found.append(f"issueDate: lies before the last invoice of series {values['series']}, of {last}")
    if values["currency"] != ctx.account.currency:
        found.append(f"currency: reports show invoices in {ctx.account.currency} only")
    return found + _doubts(ctx, values["client"])


def _doubts(ctx: Context, client: dict[str, Any]) -> list[str]:
    if not client["taxId"] or client["taxIdKind"]:
        return []
    verdict = tax_ids.check(ctx, client["taxId"], client["country"])
    return [] if verdict.valid else [f"client.taxId: {verdict.reason}"]
