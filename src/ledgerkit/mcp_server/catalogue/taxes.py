"""Tools about tax declarations."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any

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
from ledgerkit.core.platform.api_types.fields import CountryCode, ShortText
from ledgerkit.core.platform.api_types.json_answers import Json, as_json
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.scopes import Scope
from ledgerkit.mcp_server.answers import brief, paged
from ledgerkit.mcp_server.catalogue.reports import Year
from ledgerkit.mcp_server.messages import McpMsg
from ledgerkit.mcp_server.shapes import Confirmable, PageQuery, RecordId, body_of, require_filters_of
from ledgerkit.mcp_server.tool import Tool
from ledgerkit.problems import Invalid

BRIEF = ("id", "country", "form", "year", "period", "status", "totals", "declarationType", "submittedAt")

DOCUMENT = ("documentId", "origin", "number", "date", "party", "amount")


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
        names = _FILTERS[DeclarationView.DECLARATIONS]
        return {name: value for name in names if (value := getattr(self, name)) is not None}


class OneDeclaration(PageQuery, RecordId):
    """A declaration, or a page of the documents behind a box of it."""

    box: Annotated[ShortText | None, Field(max_length=20)] = None

    @property
    def listed(self) -> str:
        return "documents"

    def identity(self, record: Mapping[str, Any]) -> str:
        """Return the id of a document."""
        return str(record["documentId"])


class ChangedDeclaration(Confirmable, RecordId, DeclarationChange):
    """A declaration to change, where absent fields keep their values; or a proposal to accept, without changes."""

    proposal_id: ShortText | None = None


class Submission(Confirmable, RecordId):
    """The declaration to lock."""


_FILTERS: Mapping[DeclarationView, tuple[str, ...]] = {
    DeclarationView.SUPPORTED: (),
    DeclarationView.CALENDAR: ("year", "country"),
    DeclarationView.CHECKS: ("year", "country"),
    DeclarationView.DECLARATIONS: ("country", "year", "form", "period", "status"),
}
"""Filters of each view."""


async def _declarations(ctx: Context, arguments: DeclarationQuery) -> Json:
    require_filters_of(arguments, arguments.view, *_FILTERS[arguments.view])
    match arguments.view:
        case DeclarationView.SUPPORTED:
            return as_json(await declarations.supported(ctx))
        case DeclarationView.CALENDAR:
            return as_json(await calendars.calendar(ctx, arguments.year, arguments.country))
        case DeclarationView.CHECKS:
            checks = as_json(await cross_checks.cross_checks(ctx, arguments.year, arguments.country))
            return checks if arguments.detail == "full" else {"items": [_check(check) for check in checks["items"]]}
        case DeclarationView.DECLARATIONS:
            filters = arguments.filters()
            return await paged(lambda page: declarations.listing(ctx, page, filters), arguments, BRIEF)


_TERM = ("form", "period", "name", "boxes", "amount", "declarationId")


def _check(check: Json) -> Json:
    """Return a comparison in brief: with both sides only where they differ."""
    if check["state"] != "different":
        return brief(check, ("code", "title", "state", "note"))
    sides = {name: {**check[name], "terms": [brief(term, _TERM) for term in check[name]["terms"]]} for name in _SIDES}
    return {**brief(check, ("code", "title", "state", "difference", "note")), **sides}


_SIDES = ("left", "right")


def _locked(declaration: Json) -> Json:
    """Return what the preview of a lock shows: the question has said what matters."""
    return brief(declaration, ("id", "form", "year", "period", "status", "totals", "warnings"))


async def _declaration(ctx: Context, arguments: OneDeclaration) -> Json:
    declaration = as_json(await declarations.get(ctx, arguments.id))
    if (box := arguments.box) is None:
        return declaration
    page = await paged(lambda request: evidences.evidence(ctx, arguments.id, box, request), arguments, DOCUMENT)
    shown = {name: declaration[name] for name in ("id", "form", "formName", "year", "period", "status")}
    of_box = {"name": declaration["boxNames"].get(box), "value": declaration["effectiveBoxes"].get(box)}
    return {
        **shown,
        "boxes": {box: of_box},
        arguments.listed: page["items"],
        arguments.counted: page["total"],
        "nextCursor": page["nextCursor"],
    }


async def _change(ctx: Context, arguments: ChangedDeclaration) -> TaxDeclaration:
    if arguments.proposal_id is None:
        return await declarations.update(ctx, arguments.id, body_of(DeclarationChange, arguments))
    if arguments.model_fields_set - {"id", *ProposalAcceptance.model_fields}:
        raise Invalid.field("proposalId", McpMsg.PROPOSAL_ALONE)
    return await proposals.accept_proposal(ctx, arguments.id, body_of(ProposalAcceptance, arguments))


TOOLS = (
    Tool(
        name="generate_tax_declaration",
        title="Prepare a tax declaration (modelo)",
        description=(
            "Compute a draft tax return: 303 (IVA), 130 (IRPF), 111, 115, 347, 349, 390 (trimestre saca anual ver "
            "hacer; quarter get vat rent together annual last read two); others: list_tax_declarations. Again: "
            "overrides stay. Nothing is filed."
        ),
        scope=Scope.WRITE,
        operations=(declarations.generate,),
        arguments=GenerateInput,
        hints={"country": "As ES", "period": "Q1 to Q4, M01 to M12, Y", "form": "As 303"},
        is_long=True,
        run=declarations.generate,
    ),
    Tool(
        name="get_tax_declaration",
        title="Tax declaration details (modelo)",
        description=(
            "Read one return (303, 130, 111, 115, 347, 349, 390) by id (list_tax_declarations): boxes (casillas), "
            "result, warnings, proposals, changes since; with box its documents (enséñame ver salió pasado abre "
            "queda iva; last show read open look form much bring pull view end came)."
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
        title="Mark a tax declaration as filed (presentado)",
        description=(
            "Lock a declaration as filed (gestor justificante hacienda toque mandado sede entregado enviado cierra "
            "mañana ayer cerramos dale; submitted sent freeze hand gone nobody lodged anyone close aeat csv). "
            "Transmits nothing: the person files it (get_document) at the authority's site. Cannot be undone."
        ),
        scope=Scope.FISCAL,
        operations=(submission.submit,),
        arguments=Submission,
        is_long=True,
        previewed=_locked,
        run=lambda ctx, arguments: submission.submit(ctx, arguments.id),
    ),
    Tool(
        name="list_tax_declarations",
        title="Tax declarations and deadlines (impuestos)",
        description=(
            "List tax returns filed or missing. View calendar: deadlines; checks: quarters agree with the year; "
            "supported: which forms (hacienda presentar toca tengo modelo fecha trimestre plazo iva; next due date "
            "form anything paper longer day want last)."
        ),
        scope=Scope.READ,
        operations=(declarations.listing, calendars.calendar, cross_checks.cross_checks, declarations.supported),
        arguments=DeclarationQuery,
        run=_declarations,
    ),
    Tool(
        name="update_tax_declaration",
        title="Change a draft declaration (casilla)",
        description=(
            "Change a draft declaration: override a box (casilla), note, type (ingresar, compensar, devolver) or "
            "refund account; manualOverrides replaces earlier ones. Or follow a proposal: proposalId (pon corrige "
            "cambio mal modelo gastos; box should say put vat set figure ought make want field form)."
        ),
        scope=Scope.WRITE,
        operations=(declarations.update, proposals.accept_proposal),
        arguments=ChangedDeclaration,
        hints={"manualOverrides": 'As {"28": 1200.5}', "declarationType": "One of declarationTypes"},
        is_long=True,
        run=_change,
    ),
)
