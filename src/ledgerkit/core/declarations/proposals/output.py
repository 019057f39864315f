"""One declaration as it is shown after a change; a draft also shows its proposals."""

from ledgerkit.core.declarations import output as declaration_output
from ledgerkit.core.declarations import queries as declaration_queries
from ledgerkit.core.declarations.api import TaxDeclaration
from ledgerkit.core.declarations.forms import installed as forms
from ledgerkit.core.declarations.output import NOTHING_FOUND, Findings
from ledgerkit.core.declarations.proposals import documents as proposals
from ledgerkit.core.declarations.queries import ContentRow
from ledgerkit.core.declarations.table import DeclarationRow, tax_declaration
from ledgerkit.core.platform import records
from ledgerkit.core.platform.request.context import Context


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
    named = await proposals.of_draft(ctx, of)
    language = ctx.request_metadata.language
    return Findings(proposals=[document.on_wire(language) for document in named], warnings=proposals.warnings(named))
