"""Preview of an invoice: everything is computed, and nothing is written."""

from ledgerkit.core.platform.documents import tax_ids
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.sales.invoices import input as invoice_input
from ledgerkit.core.sales.invoices import output as invoice_output
from ledgerkit.core.sales.invoices.api import InvoiceInput, InvoicePreview
from ledgerkit.core.sales.invoices.content.fields import InvoiceContent
from ledgerkit.core.sales.invoices.dates import warnings as date_warnings
from ledgerkit.core.sales.invoices.documents import origins
from ledgerkit.core.sales.invoices.input import DRAFTING_ERRORS
from ledgerkit.core.sales.invoices.issuance import lifecycle
from ledgerkit.core.sales.invoices.json_columns.codecs import StoredClient
from ledgerkit.core.sales.invoices.texts import InvoicesMsg
from ledgerkit.problems import Code, NotFound
from ledgerkit.providers.api import DocumentKind
from ledgerkit.texts import Text, text


@operation(Permission.INVOICES_DRAFT, errors=[*DRAFTING_ERRORS, (NotFound, {Code.NOT_FOUND})], effects=Effect.READ_ONLY)
async def preview(ctx: Context, data: InvoiceInput) -> InvoicePreview:
    """Compute totals, lines and dates of the draft that `data` would make; refuse it for the same reasons.

    `warnings` name obstacles to issuing it today, and doubts. No client is stored.
    """
    draft = await invoice_input.new_values(ctx, data, await origins.resolve(ctx, data), storing=False)
    columns = {**draft.columns(), "issue_date": draft.content.issue_date, "due_date": draft.content.due_date}
    shown = {name: invoice_output.as_text(columns[name]) for name in InvoicePreview.model_fields if name in columns}
    warnings = [*draft.warnings, *await _warnings(ctx, draft.content)]
    return InvoicePreview.model_validate(shown | {"warnings": warnings})


async def _warnings(ctx: Context, content: InvoiceContent) -> list[str]:
    warnings: list[Text] = []
    if content.issue_date > ctx.account.today():
        warnings.append(text(InvoicesMsg.PREVIEW_DATE_AHEAD))
    last = await lifecycle.last_date(ctx, content.series, content.issue_date.year)
    if last is not None and content.issue_date < last:
        warnings.append(text(InvoicesMsg.PREVIEW_DATE_BEFORE_LAST, series=content.series, last=last))
    if content.currency != ctx.account.currency and content.exchange_rate is None:
        warnings.append(text(InvoicesMsg.PREVIEW_CURRENCY, currency=ctx.account.currency))
    language = ctx.request_metadata.language
    counts_on = content.issue_date if content.doc_type == DocumentKind.CREDIT_NOTE else content.rates_date
    of_dates = await date_warnings.of_days(ctx, content.issue_date, counts_on, ctx.account.today())
    return [*(warning.in_language(language) for warning in warnings), *of_dates, *_doubts(ctx, content.client)]


def _doubts(ctx: Context, client: StoredClient) -> list[str]:
    return [] if client.tax_id_kind else tax_ids.doubts(ctx, client.tax_id, client.country, "client.taxId")
