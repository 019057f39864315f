"""Evidence: the documents behind a box, as they were when the declaration was computed."""

from ledgerkit.core.declarations import output as declaration_output
from ledgerkit.core.declarations import queries as declaration_queries
from ledgerkit.core.declarations.api import EvidenceDocument
from ledgerkit.core.declarations.forms import installed as forms
from ledgerkit.core.declarations.table import DOCUMENTS, EVIDENCE, tax_declaration
from ledgerkit.core.declarations.texts import DeclarationsMsg
from ledgerkit.core.platform import records
from ledgerkit.core.platform.api_types.list_pages import Page, PageRequest
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.money import dumps_exact
from ledgerkit.problems import Invalid


@operation(Permission.DECLARATIONS_READ, unit=Unit.READING)
async def evidence(ctx: Context, declaration_id: str, box: str, page: PageRequest) -> Page:
    """List the documents of a box by date, with the amount of each; the amounts add up to the box.

    A box that is computed from others has none. Raises NotFound, and Invalid for a box that the form does not have.
    """
    row = await records.fetch(ctx, tax_declaration, declaration_id, declaration_queries.WHAT)
    behind_boxes = await declaration_queries.evidence(ctx, row)
    amounts = EVIDENCE.decode(behind_boxes.evidence).get(box, {})
    of = forms.installed(ctx, row)
    if not amounts and of is not None and box not in of.boxes:
        raise Invalid.field("box", DeclarationsMsg.BOX_UNKNOWN, box=box, form=of.label, known=", ".join(of.boxes))
    behind = [document for document in DOCUMENTS.decode(behind_boxes.documents) if document.id in amounts]
    in_order = sorted(behind, key=lambda document: (document.date, document.number or "", document.id))
    shown = [
        EvidenceDocument(**declaration_output.document(document), amount=amounts[document.id]).model_dump(
            mode="json", by_alias=True
        )
        for document in in_order[page.offset :][: page.size]
    ]
    return Page(body=dumps_exact(shown).encode(), total=len(behind), number=page.number, size=page.size)
