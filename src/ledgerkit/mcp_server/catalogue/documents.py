"""Tool that returns links to documents, so that no file goes through a conversation."""

from ledgerkit.core.catalog.files import exports
from ledgerkit.core.declarations.pdf import operations as pdf
from ledgerkit.core.declarations.submission import operations as submission
from ledgerkit.core.einvoice.status import operations as status
from ledgerkit.core.operation.downloads import operations as downloads
from ledgerkit.core.operation.downloads.api import LinkedDocument
from ledgerkit.core.platform.api_types.fields import ShortText
from ledgerkit.core.platform.api_types.wire import Wire
from ledgerkit.core.platform.request.scopes import Scope
from ledgerkit.core.sales.invoices.pdf import printed_invoice
from ledgerkit.mcp_server.tool import Tool


class DocumentQuery(Wire):
    """A document, by the id of its invoice or declaration."""

    kind: LinkedDocument
    id: ShortText = ""


TOOLS = (
    Tool(
        name="get_document",
        title="Download a file (descargar, bajar)",
        description=(
            "Get a link, good for 15 minutes, to the PDF or XML of an invoice, the file of a declaration, or the "
            "catalogue as CSV (pdf imprimir necesito papel última archivo pasado saca hacer; document file need get "
            "copy version want last paper give save send make generate). For a client: share_invoice."
        ),
        scope=Scope.READ,
        operations=(downloads.link, printed_invoice.pdf, status.xml, pdf.pdf, submission.file, exports.as_csv),
        arguments=DocumentQuery,
        hints={"id": "Of the invoice or declaration"},
        run=lambda ctx, arguments: downloads.link(ctx, arguments.kind, arguments.id),
    ),
)
