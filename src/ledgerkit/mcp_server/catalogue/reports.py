"""Tools about figures and tax declarations."""

from datetime import date
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from ledgerkit.core.declarations import operations as declarations
from ledgerkit.core.declarations.api import (
    DeclarationChange,
    DeclarationStatus,
    FormCode,
    GenerateInput,
    PeriodCode,
    ProposalAcceptance,
    TaxDeclaration,
)
from ledgerkit.core.declarations.calendar import operations as calendars
from ledgerkit.core.declarations.cross_checks import operations as cross_checks
from ledgerkit.core.declarations.evidence import operations as evidences
from ledgerkit.core.declarations.proposals import operations as proposals
from ledgerkit.core.declarations.submission import operations as submission
from ledgerkit.core.platform.api_types.fields import CountryCode, Day, ShortText
from ledgerkit.core.platform.api_types.json_answers import Json, as_json
from ledgerkit.core.platform.api_types.list_pages import MAX_SIZE, PageRequest
from ledgerkit.core.platform.api_types.wire import Wire
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.scopes import Scope
from ledgerkit.core.reports import operations as reports
from ledgerkit.mcp_server.answers import paged
from ledgerkit.mcp_server.messages import McpMsg
from ledgerkit.mcp_server.shapes import Confirmable, PageQuery, RecordId, body_of
from ledgerkit.mcp_server.tool import Tool
from ledgerkit.money import ZERO, Amount
from ledgerkit.problems import Invalid

BRIEF = ("id", "country", "form", "year", "period", "status", "totals", "declarationType", "submittedAt")

Year = Annotated[int, Field(ge=2000, le=2100)]


class Report(StrEnum):
    PROFIT_LOSS = "profit_loss"
    CASH_FLOW = "cash_flow"
    TAX_SUMMARY = "tax_summary"
    VAT_BALANCE = "vat_balance"
    INCOME_SUMMARY = "income_summary"


class ReportQuery(Wire):
    """A report and its period: days for profit and income, a quarter for taxes."""

    kind: Report
    first: Annotated[Day | None, Field(alias="from")] = None
    last: Annotated[Day | None, Field(alias="to")] = None
    year: Year | None = None
    quarter: Annotated[int | None, Field(ge=1, le=4)] = None
    opening: Amount | None = None

    @property
    def days(self) -> tuple[date | None, date | None]:
        """First and last day as given; by default those of `year`."""
        if self.year is None:
            return self.first, self.last
        return self.first or date(self.year, 1, 1), self.last or date(self.year, 12, 31)


class DeclarationView(StrEnum):
    DECLARATIONS = "declarations"
    CALENDAR = "calendar"
    CHECKS = "checks"
    SUPPORTED = "supported"


class DeclarationQuery(PageQuery):
    view: DeclarationView = DeclarationView.DECLARATIONS
    country: CountryCode | None = None
    year: Year | None = None
    form: FormCode | None = None
    period: PeriodCode | None = None
    status: DeclarationStatus | None = None

    def filters(self) -> dict[str, str | int]:
        """Return the filters that were sent, by name."""
        names = ("country", "year", "form", "period", "status")
        return {name: value for name in names if (value := getattr(self, name)) is not None}


class OneDeclaration(RecordId):
    """A declaration, and a box to show with the documents behind it."""

    box: Annotated[ShortText | None, Field(max_length=20)] = None


class ChangedDeclaration(Confirmable, RecordId, DeclarationChange):
    """A declaration to change, where absent fields keep their values; or a proposal to accept, without changes."""

    proposal_id: ShortText | None = None


class Submission(Confirmable, RecordId):
    """The declaration to lock."""


async def _report(ctx: Context, arguments: ReportQuery) -> object:
    match arguments.kind:
        case Report.PROFIT_LOSS:
            return await reports.profit_loss(ctx, *arguments.days)
        case Report.INCOME_SUMMARY:
            return await reports.income_summary(ctx, *arguments.days)
        case Report.TAX_SUMMARY:
            return await reports.tax_summary(ctx, arguments.year, arguments.quarter)
        case Report.VAT_BALANCE:
            return await reports.vat_balance(ctx, arguments.year, arguments.quarter)
        case Report.CASH_FLOW:
            return await reports.cashflow(ctx, arguments.opening or ZERO)


async def _declarations(ctx: Context, arguments: DeclarationQuery) -> Json:
    match arguments.view:
        case DeclarationView.SUPPORTED:
            return as_json(await declarations.supported(ctx))
        case DeclarationView.CALENDAR:
            return as_json(await calendars.calendar(ctx, arguments.year, arguments.country))
        case DeclarationView.CHECKS:
            return as_json(await cross_checks.cross_checks(ctx, arguments.year, arguments.country))
        case DeclarationView.DECLARATIONS:
            filters = arguments.filters()
            return await paged(lambda page: declarations.listing(ctx, page, filters), arguments, BRIEF)


async def _declaration(ctx: Context, arguments: OneDeclaration) -> Json:
    declaration = as_json(await declarations.get(ctx, arguments.id))
    if arguments.box is None:
        return declaration
    documents = await evidences.evidence(ctx, arguments.id, arguments.box, PageRequest(1, MAX_SIZE))
    return {**declaration, "documents": as_json(documents)["items"]}


async def _change(ctx: Context, arguments: ChangedDeclaration) -> TaxDeclaration:
    if arguments.proposal_id is None:
        return await declarations.update(ctx, arguments.id, body_of(DeclarationChange, arguments))
    if arguments.model_fields_set - {"id", *ProposalAcceptance.model_fields}:
        raise Invalid.field("proposalId", McpMsg.PROPOSAL_ALONE)
    return await proposals.accept_proposal(ctx, arguments.id, body_of(ProposalAcceptance, arguments))


TOOLS = (
    Tool(
        name="generate_tax_declaration",
        title="Compute a tax declaration",
        description=(
            "Compute (calcular, preparar, generar) the draft declaration (tax return) of a quarter (trimestre) or "
            "year: modelo 303 (IVA), 130, 111, 115, 347, 349, 390 and others of list_tax_declarations. Computed "
            "again it keeps overrides. Nothing is filed."
        ),
        scope=Scope.WRITE,
        operations=(declarations.generate,),
        arguments=GenerateInput,
        hints={"country": "As ES", "period": "Q1 to Q4, M01 to M12, Y", "form": "As 303"},
        is_long=True,
        run=declarations.generate,
    ),
    Tool(
        name="get_report",
        title="Reports and figures",
        description=(
            "Compute figures of a period: profit_loss (beneficio, ganancia, cuenta de resultados, ingresos y "
            "gastos), cash_flow (flujo de caja, tesorería), tax_summary (IVA repercutido y soportado, IRPF), "
            "vat_balance (cuánto IVA a pagar), income_summary (facturación, ventas by client and month)."
        ),
        scope=Scope.READ,
        operations=(
            reports.profit_loss,
            reports.cashflow,
            reports.tax_summary,
            reports.vat_balance,
            reports.income_summary,
        ),
        arguments=ReportQuery,
        hints={"quarter": "Of tax_summary, vat_balance", "opening": "Cash at the start, of cash_flow"},
        run=_report,
    ),
    Tool(
        name="get_tax_declaration",
        title="Get one tax declaration",
        description=(
            "Read one declaration (abrir el modelo 303, 130, 390 ...): boxes (casillas), result (resultado), "
            "warnings, proposals, changes since; with box also the documents behind it. Ids: "
            "list_tax_declarations."
        ),
        scope=Scope.READ,
        operations=(declarations.get, evidences.evidence),
        arguments=OneDeclaration,
        hints={"box": "As 07"},
        is_long=True,
        run=_declaration,
    ),
    Tool(
        name="lock_tax_declaration",
        title="Lock a tax form as filed",
        description=(
            "Lock a draft tax form as filed (marcar como presentado el modelo, ya lo he presentado, cerrar la "
            "declaración) and freeze its file. Cannot be undone. Nothing is sent: the person files it "
            "(get_document) at the authority's site."
        ),
        scope=Scope.FISCAL,
        operations=(submission.submit,),
        arguments=Submission,
        is_long=True,
        run=lambda ctx, arguments: submission.submit(ctx, arguments.id),
    ),
    Tool(
        name="list_tax_declarations",
        title="Find tax declarations",
        description=(
            "List tax declarations (declaraciones, modelos, impuestos hechos o presentados). View calendar: what is "
            "due when (plazos, calendario); checks: cuadre of a year, as 303 = 390; supported: which forms."
        ),
        scope=Scope.READ,
        operations=(declarations.listing, calendars.calendar, cross_checks.cross_checks, declarations.supported),
        arguments=DeclarationQuery,
        run=_declarations,
    ),
    Tool(
        name="update_tax_declaration",
        title="Change a draft declaration",
        description=(
            "Change a draft declaration (modelo) by hand (a mano): boxes (casilla), notes (nota), type (a ingresar, a "
            "compensar, a devolver) or IBAN; manualOverrides replaces all earlier ones. Or do what one of its "
            "proposals says (aceptar propuesta): proposalId."
        ),
        scope=Scope.WRITE,
        operations=(declarations.update, proposals.accept_proposal),
        arguments=ChangedDeclaration,
        hints={"manualOverrides": 'As {"28": 1200.5}', "declarationType": "One of declarationTypes"},
        is_long=True,
        run=_change,
    ),
)
