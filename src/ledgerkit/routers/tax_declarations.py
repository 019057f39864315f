"""/api/tax-declarations."""

from typing import Annotated, Any

from fastapi import Query, Request, Response

from ledgerkit.core.declarations import operations as declarations
from ledgerkit.core.declarations.api import (
    DeclarationAnswer,
    DeclarationChange,
    DeclarationList,
    DeclarationStatus,
    EvidenceDocument,
    FormCode,
    GeneratedDeclaration,
    GenerateInput,
    PeriodCode,
    PreviousInput,
    ProposalAcceptance,
    SupportedCountries,
)
from ledgerkit.core.declarations.calendar import operations as calendars
from ledgerkit.core.declarations.calendar.api import CalendarEntry, CrossCheckResult
from ledgerkit.core.declarations.cross_checks import operations as cross_checks
from ledgerkit.core.declarations.evidence import operations as evidences
from ledgerkit.core.declarations.filed import elsewhere
from ledgerkit.core.declarations.pdf import operations as pdf
from ledgerkit.core.declarations.proposals import operations as proposals
from ledgerkit.core.declarations.record_books import operations as record_books
from ledgerkit.core.declarations.record_books.operations import BookFormat, BooksRequest
from ledgerkit.core.declarations.submission import operations as submission
from ledgerkit.core.declarations.tax_profile import operations as profiles
from ledgerkit.core.platform.api_types.fields import CountryCode, ShortText
from ledgerkit.core.platform.api_types.list_pages import UNPAGED_SIZE
from ledgerkit.core.sales.invoices.api import Ok
from ledgerkit.routers.deps import Ctx, Limit, PageNumber, attachment, listed, paged, tagged, whole, wrapped
from ledgerkit.routers.invoices import PDF
from ledgerkit.routers.routing import Router

router = Router(
    prefix="/api/tax-declarations",
    tags=["Tax declarations"],
    about="Boxes with the documents behind them, files for the authority, and what is due when.",
)

_BYTES = "application/octet-stream"
"""Media type of every file, because browsers must save its bytes unchanged, whatever the encoding."""

_FILE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The file as the authority imports it",
        "content": {_BYTES: {"schema": {"type": "string", "format": "binary"}}},
    }
}

_BOOKS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The workbook, or the text file",
        "content": {
            record_books.XLSX: {"schema": {"type": "string", "format": "binary"}},
            "text/csv": {"schema": {"type": "string"}},
        },
    }
}

Country = Annotated[CountryCode | None, Query(description="Two letters; default the account's")]
OfCountry = Annotated[CountryCode | None, Query(description="Two letters")]
Year = Annotated[int | None, Query(ge=2000, le=2100)]
Box = Annotated[ShortText, Query(min_length=1, max_length=20, description="Official key of the box, as `07`")]
Language = Annotated[ShortText | None, Query(alias="lang", description="As `es` or `ca`; default the country's")]


@router.get("/supported", operation=declarations.supported, operation_id="getSupportedDeclarations")
async def get_supported(ctx: Ctx) -> SupportedCountries:
    """Return the countries whose declarations can be made here, and their forms."""
    return await declarations.supported(ctx)


@router.get(
    "/calendar", operation=calendars.calendar, operation_id="getTaxCalendar", response_model=list[CalendarEntry]
)
async def get_calendar(ctx: Ctx, year: Year = None, country: Country = None) -> list[CalendarEntry]:
    """List the declarations that are due in a year for this account, by its tax profile, on working days.

    Without a year: those of this year and of the next 90 days, of periods since the account began.
    """
    return whole(ctx, await calendars.calendar(ctx, year, country))


@router.get(
    "/checks", operation=cross_checks.cross_checks, operation_id="getCrossChecks", response_model=list[CrossCheckResult]
)
async def get_cross_checks(ctx: Ctx, year: Year = None, country: Country = None) -> list[CrossCheckResult]:
    """Compare the declarations of a year with each other and with the record books; this blocks nothing."""
    return whole(ctx, await cross_checks.cross_checks(ctx, year, country))


@router.get("/profile", operation=profiles.read_profile, operation_id="getTaxProfile", response_model=dict[str, Any])
async def get_profile(ctx: Ctx, country: Country = None) -> dict[str, object]:
    """Return the account's tax profile, in the fields of its country."""
    return tagged(ctx, await profiles.read_profile(ctx, country)).fields


@router.put(
    "/profile", operation=profiles.change_profile, operation_id="updateTaxProfile", response_model=dict[str, Any]
)
async def update_profile(ctx: Ctx, data: dict[str, Any], country: Country = None) -> dict[str, object]:
    """Change the fields given; absent ones keep their value, those that the country does not have are refused."""
    return tagged(ctx, await profiles.change_profile(ctx, data, country)).fields


@router.get(
    "/books", operation=record_books.export, operation_id="getRecordBooks", response_class=Response, responses=_BOOKS
)
async def get_books(
    ctx: Ctx,
    year: Annotated[int, Query(ge=2000, le=2100)],
    period: Annotated[PeriodCode, Query(description="`Q1` to `Q4`, `M01` to `M12`, or `Y`")] = "Y",
    book: Annotated[ShortText | None, Query(description="`issued`, `received`, `investment`; default all")] = None,
    file_format: Annotated[BookFormat, Query(alias="format", description="`csv` holds one book")] = "xlsx",
    country: Country = None,
) -> Response:
    """Return the record books of a period, in the columns and codes of the authority."""
    request = BooksRequest(year=year, period=period, book=book, file_format=file_format, country=country)
    file = await record_books.export(ctx, request)
    return attachment(file.name, file.content, file.media_type, inline=False)


@router.post("/generate", operation=declarations.generate, operation_id="generateTaxDeclaration")
async def generate(ctx: Ctx, data: GenerateInput) -> GeneratedDeclaration:
    """Compute the declaration of a period from the books; a draft is computed again and keeps all decisions."""
    declaration = tagged(ctx, await declarations.generate(ctx, data))
    counts = {"invoice_count": declaration.invoice_count, "expense_count": declaration.expense_count}
    return GeneratedDeclaration(declaration=declaration, **counts)


@router.post(
    "/previous", operation=elsewhere.record_previous, operation_id="recordPreviousDeclaration", status_code=201
)
async def record_previous(ctx: Ctx, data: PreviousInput) -> DeclarationAnswer:
    """Record a declaration that was filed elsewhere; compensation and running sums continue from it."""
    return DeclarationAnswer(declaration=tagged(ctx, await elsewhere.record_previous(ctx, data)))


@router.get("", operation=declarations.listing, operation_id="listTaxDeclarations", response_model=DeclarationList)
async def list_declarations(
    request: Request,
    ctx: Ctx,
    country: OfCountry = None,
    year: Year = None,
    form: Annotated[FormCode | None, Query()] = None,
    period: Annotated[PeriodCode | None, Query()] = None,
    status: Annotated[DeclarationStatus | None, Query()] = None,
    page: PageNumber = None,
    limit: Limit = None,
) -> Response:
    """List declarations without evidence and records, those of the latest period first."""
    given_filters = {"country": country, "year": year, "form": form, "period": period, "status": status}
    filters = {name: value for name, value in given_filters.items() if value is not None}
    return wrapped(request, await declarations.listing(ctx, paged(page, limit), filters), "declarations")


@router.get("/{id}", operation=declarations.get, operation_id="getTaxDeclaration")
async def get_declaration(ctx: Ctx, id: str) -> DeclarationAnswer:
    """Return one declaration with the documents behind each box, compared with the present books."""
    return DeclarationAnswer(declaration=tagged(ctx, await declarations.get(ctx, id)))


@router.patch("/{id}", operation=declarations.update, operation_id="updateTaxDeclaration")
async def update_declaration(ctx: Ctx, id: str, data: DeclarationChange) -> DeclarationAnswer:
    """Change overrides, notes, type, IBAN or what it amends, and compute the draft again."""
    return DeclarationAnswer(declaration=tagged(ctx, await declarations.update(ctx, id, data)))


@router.delete("/{id}", operation=declarations.delete, operation_id="deleteTaxDeclaration")
async def delete_declaration(ctx: Ctx, id: str) -> Ok:
    """Delete a draft, or a declaration that was typed in."""
    await declarations.delete(ctx, id)
    return Ok()


@router.patch("/{id}/submit", operation=submission.submit, operation_id="submitTaxDeclaration")
async def submit(ctx: Ctx, id: str) -> DeclarationAnswer:
    """Record a draft as filed and freeze it, with the bytes of its file unless data lack; nothing is sent anywhere."""
    return DeclarationAnswer(declaration=tagged(ctx, await submission.submit(ctx, id)))


@router.post("/{id}/proposals/accept", operation=proposals.accept_proposal, operation_id="acceptDeclarationProposal")
async def accept_proposal(ctx: Ctx, id: str, data: ProposalAcceptance) -> DeclarationAnswer:
    """Carry out a proposal of a draft: deduct a late purchase in its period, or begin an amendment."""
    return DeclarationAnswer(declaration=tagged(ctx, await proposals.accept_proposal(ctx, id, data)))


@router.get(
    "/{id}/evidence",
    operation=evidences.evidence,
    operation_id="listDeclarationEvidence",
    response_model=list[EvidenceDocument],
)
async def list_evidence(
    request: Request, ctx: Ctx, id: str, box: Box, page: PageNumber = None, limit: Limit = None
) -> Response:
    """List the documents behind a box, each with the amount that it brings."""
    return listed(request, await evidences.evidence(ctx, id, box, paged(page, limit, unasked=UNPAGED_SIZE)))


@router.get(
    "/{id}/file", operation=submission.file, operation_id="getDeclarationFile", response_class=Response, responses=_FILE
)
async def get_file(ctx: Ctx, id: str) -> Response:
    """Return the file that the authority imports; of a submitted declaration, the frozen bytes."""
    file = await submission.file(ctx, id)
    return attachment(file.name, file.content, _BYTES, inline=False)


@router.get("/{id}/pdf", operation=pdf.pdf, operation_id="getDeclarationPdf", response_class=Response, responses=PDF)
async def get_pdf(ctx: Ctx, id: str, language: Language = None) -> Response:
    """Return the declaration as a PDF to read: its boxes by name; not the authority's own form."""
    name, content = await pdf.pdf(ctx, id, language)
    return attachment(name, content, "application/pdf")
