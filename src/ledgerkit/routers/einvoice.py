"""/api/einvoice."""

from datetime import date
from typing import Annotated, Any, Literal

from fastapi import Depends, Query, Request, Response
from fastapi.responses import StreamingResponse

from ledgerkit.core.einvoice import operations as einvoice
from ledgerkit.core.einvoice.api import (
    AnnulInput,
    Annulled,
    CreditNoteInput,
    EInvoiceResult,
    EInvoiceStatus,
    Emailed,
    EmailInput,
    EmitInput,
    FiscalAlerts,
    ListedRecord,
    Providers,
    ResultState,
)
from ledgerkit.core.einvoice.certificates import operations as certificates
from ledgerkit.core.einvoice.certificates.api import (
    CertificateInput,
    CertificateShown,
    ConnectionTested,
    DeclarationShown,
)
from ledgerkit.core.einvoice.chain.api import ChainOverview, Continued, ContinueInput, Position, Stretch
from ledgerkit.core.einvoice.inspection import alerts, continuation, export, records, verification
from ledgerkit.core.einvoice.issuance import annulment
from ledgerkit.core.einvoice.issuance import credit_note as credit_notes
from ledgerkit.core.einvoice.producer_statement import operations as producer_statement
from ledgerkit.core.einvoice.status import operations as status
from ledgerkit.core.platform.api_types.fields import ShortText
from ledgerkit.routers import session_cookie
from ledgerkit.routers.deps import Ctx, Limit, PageNumber, attachment, listed, paged
from ledgerkit.routers.invoices import PDF
from ledgerkit.routers.routing import DOCUMENT, Router

router = Router(
    prefix="/api/einvoice", tags=["E-invoice"], about="National electronic invoicing, whatever the country."
)

XML: dict[int | str, dict[str, Any]] = {200: {"content": {"application/xml": {"schema": {"type": "string"}}}}}
ZIP: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}}}
}
_TEXT = {"schema": {"type": "string"}}
PAGES: dict[int | str, dict[str, Any]] = {200: {"content": {"text/html": _TEXT, "text/plain": _TEXT}}}
Form = Literal["json", "html", "text"]
Version = Annotated[ShortText | None, Query(description="Of the software; by default the one that runs")]
FiscalId = Annotated[ShortText, Query(alias="fiscalId", description="The record's fiscalId, as emit returned it")]

RecordId = Annotated[ShortText | None, Query(description="`record` of an entry of the invoice's history")]
RecordStatus = Annotated[ResultState | None, Query(description="Of this status")]
NeedsAction = Annotated[
    bool,
    Query(alias="needsAction", description="Only records that somebody must correct: refused, or accepted with errors"),
]


@router.get("/providers", operation=einvoice.providers, operation_id="getEInvoiceProviders")
async def get_providers(ctx: Ctx) -> Providers:
    """Return the countries with electronic invoicing here, and whether it is on for this account."""
    return await einvoice.providers(ctx)


@router.post("/emit", operation=einvoice.emit, operation_id="emitEInvoice")
async def emit(ctx: Ctx, data: EmitInput) -> EInvoiceResult:
    """Number, seal, chain and report the invoice. It is `pending` if the authority takes longer than a few seconds."""
    return await einvoice.emit(ctx, data)


@router.post("", operation=einvoice.emit, operation_id="emitEInvoiceLegacy", deprecated=True)
async def emit_legacy(ctx: Ctx, data: EmitInput) -> EInvoiceResult:
    """Emit an invoice under the former address of /api/einvoice/emit."""
    ctx.request_metadata.headers |= {"Deprecation": "true", "Link": '</api/einvoice/emit>; rel="successor-version"'}
    return await einvoice.emit(ctx, data)


@router.post("/annul", operation=annulment.annul, operation_id="annulEInvoice")
async def annul(ctx: Ctx, data: AnnulInput) -> Annulled:
    """Annul an invoice that should never have been issued; it leaves the books when the authority accepts."""
    return await annulment.annul(ctx, data)


@router.post(
    "/credit-note", operation=credit_notes.credit_note, operation_id="createCreditNote", max_body_size=DOCUMENT
)
async def credit_note(ctx: Ctx, data: CreditNoteInput) -> EInvoiceResult:
    """Correct an emitted invoice: make, number, seal and report its credit note, for the whole rest or a part."""
    return await credit_notes.credit_note(ctx, data)


@router.get("/alerts", operation=alerts.alerts, operation_id="getEInvoiceAlerts")
async def get_alerts(ctx: Ctx) -> FiscalAlerts:
    """Count the records to be corrected and those that wait for an answer; name the newest ones to be corrected."""
    return await alerts.alerts(ctx)


@router.get(
    "/records", operation=records.list_records, operation_id="listEInvoiceRecords", response_model=list[ListedRecord]
)
async def list_records(
    request: Request,
    ctx: Ctx,
    status: RecordStatus = None,
    needs_action: NeedsAction = False,
    page: PageNumber = None,
    limit: Limit = None,
) -> Response:
    """List the account's fiscal records with their status, cause and remedy, the newest first."""
    return listed(request, await records.list_records(ctx, paged(page, limit), status, needs_action=needs_action))


@router.get("/status/{id}", operation=status.status, operation_id="getEInvoiceStatus")
async def get_status(ctx: Ctx, id: str) -> EInvoiceStatus:
    """Return the state of an emitted invoice, with the history of all its records."""
    return await status.status(ctx, id)


@router.get(
    "/download/{id}", operation=status.download, operation_id="downloadEInvoice", response_class=Response, responses=PDF
)
async def download(ctx: Ctx, id: str, fiscal_id: FiscalId) -> Response:
    """Return the emitted invoice as PDF with its QR code."""
    return attachment(*await status.download(ctx, id, fiscal_id), "application/pdf", inline=False)


@router.get("/xml/{id}", operation=status.xml, operation_id="getEInvoiceXml", response_class=Response, responses=XML)
async def get_xml(ctx: Ctx, id: str, fiscal_id: FiscalId, record: RecordId = None) -> Response:
    """Return a record of the invoice, byte for byte as it was sealed and sent; by default the newest."""
    return attachment(*await status.xml(ctx, id, fiscal_id, record), "application/xml", inline=False)


@router.post("/send-email/{id}", operation=status.send_email, operation_id="sendEInvoiceEmail")
async def send_email(ctx: Ctx, id: str, data: EmailInput) -> Emailed:
    """Mail the emitted invoice to an address: its PDF with the QR, and its record."""
    return await status.send_email(ctx, id, data)


@router.get(
    "/chain",
    operation=verification.overview,
    operation_id="getEInvoiceChain",
    dependencies=[Depends(session_cookie.check_reader)],
)
async def get_chain(
    ctx: Ctx,
    verify: Annotated[bool, Query(description="Walk the chain now: 10,000 records at most")] = False,
    first: Annotated[Position, Query(alias="from", description="Position of the first record to check")] = 1,
    last: Annotated[Position | None, Query(alias="to", description="Position of the last; default the chain's")] = None,
    installation: Annotated[ShortText | None, Query(description="Installation number; default the open chain")] = None,
) -> ChainOverview:
    """Return the account's chains of records: their state, their errors and their last checks."""
    stretch = Stretch(installation_number=installation, first=first, last=last)
    return await verification.overview(ctx, stretch if verify else None)


@router.post("/chain/continue", operation=continuation.continue_from, operation_id="continueEInvoiceChain")
async def continue_chain(ctx: Ctx, data: ContinueInput) -> Continued:
    """Let the first record continue the chain of other software; the authority is asked for its last record."""
    return await continuation.continue_from(ctx, data)


@router.get(
    "/export",
    operation=export.export,
    operation_id="exportEInvoiceRecords",
    response_class=Response,
    responses=ZIP,
    dependencies=[Depends(session_cookie.check_reader)],
)
async def export_records(
    ctx: Ctx,
    first: Annotated[date, Query(alias="from", description="First day on which records were made")],
    last: Annotated[date, Query(alias="to", description="Last day")],
) -> Response:
    """Export all records and events of a period byte for byte, the messages about them, and a manifest."""
    record_export = await export.export(ctx, export.ExportPeriod(first, last))
    disposition = {"Content-Disposition": f"attachment; filename*=UTF-8''{record_export.name}"}
    return StreamingResponse(record_export.zipped(), media_type="application/zip", headers=disposition)


@router.put("/certificate", operation=certificates.upload, operation_id="uploadCertificate")
async def put_certificate(ctx: Ctx, data: CertificateInput) -> CertificateShown:
    """Store a client certificate for this account, encrypted; it replaces an earlier one."""
    return await certificates.upload(ctx, data)


@router.get("/certificate", operation=certificates.show, operation_id="getCertificate")
async def get_certificate(ctx: Ctx) -> CertificateShown:
    """Describe the account's certificate: never its key, its file or its password."""
    return await certificates.show(ctx)


@router.delete("/certificate", operation=certificates.remove, operation_id="deleteCertificate")
async def delete_certificate(ctx: Ctx) -> CertificateShown:
    """Delete the account's certificate; from then on the operator's is used, if there is one."""
    return await certificates.remove(ctx)


@router.post("/certificate/test", operation=certificates.test, operation_id="testCertificate")
async def post_certificate_test(ctx: Ctx) -> ConnectionTested:
    """Connect to the authority as for a message, but send none; report how far that succeeds and what to correct."""
    return await certificates.test(ctx)


@router.get(
    "/declaration",
    operation=producer_statement.declaration,
    operation_id="getDeclaration",
    response_model=DeclarationShown,
    responses=PAGES,
)
async def get_declaration(
    ctx: Ctx, version: Version = None, form: Annotated[Form, Query(alias="format")] = "json"
) -> DeclarationShown | Response:
    """Return the producer's declaration about this software: of the running version, or of an earlier one."""
    statement = await producer_statement.declaration(ctx, version)
    if form == "text":
        return Response(producer_statement.as_text(statement), media_type="text/plain; charset=utf-8")
    if form == "html":
        return Response(producer_statement.as_html(statement), media_type="text/html; charset=utf-8")
    return statement
