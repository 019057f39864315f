"""The tools: what agents read about each, and the gated service function behind it."""

import inspect
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from mcp.types import Tool as Published
from mcp.types import ToolAnnotations

from ledgerkit.core.api_types.paging import PageRequest
from ledgerkit.core.api_types.wire import Wire
from ledgerkit.core.einvoice import service as einvoice
from ledgerkit.core.einvoice.issuance import annulment, credit_note
from ledgerkit.core.einvoice.schemas import AnnulInput, EmitInput
from ledgerkit.core.invoices import lists
from ledgerkit.core.invoices import service as invoices
from ledgerkit.core.request.calls import operation_called_by
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Effect, Operation
from ledgerkit.core.teams import service as teams
from ledgerkit.mcp_server.shapes import (
    Annulling,
    Crediting,
    Emission,
    InvoiceId,
    InvoiceList,
    InvoiceQuery,
    NewInvoice,
    Nothing,
    published,
)

Json = dict[str, Any]
Given = TypeVar("Given", bound=Wire)


@dataclass(frozen=True, kw_only=True)
class Tool:
    """One tool. `run` gets arguments of the type `given` and answers JSON of the schema of `answer`."""

    name: str
    title: str
    description: str
    operation: Operation
    argument_type: type[Wire]
    answer: type[Wire]
    run: Callable[[Context, Any], Awaitable[Json]]

    @cached_property
    def schema(self) -> Json:
        """The JSON schema of its arguments."""
        return published(self.argument_type, of_arguments=True)

    @cached_property
    def published(self) -> Published:
        """Return the tool in the form of tools/list."""
        effects = self.operation.effects
        return Published(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=self.schema,
            output_schema=published(self.answer, of_arguments=False),
            annotations=ToolAnnotations(
                read_only_hint=Effect.READ_ONLY in effects,
                destructive_hint=Effect.DESTRUCTIVE in effects,
                idempotent_hint=Effect.IDEMPOTENT in effects,
                open_world_hint=Effect.OPEN_WORLD in effects,
            ),
        )


TOOLS: dict[str, Tool] = {}
"""By name, in the order in which they are listed: alphabetical, which is that of this file."""

Run = Callable[[Context, Given], Awaitable[Json]]


def _tool(*, title: str, description: str, answer: type[Wire] | None = None) -> Callable[[Run[Given]], Run[Given]]:
    """Make a function the tool of its name: arguments by its second parameter, the rest by the operation it calls.

    `answer` is the shape of the result where it is not what the operation returns.
    """

    def register(run: Run[Given]) -> Run[Given]:
        operation = operation_called_by(run)
        assert operation is not None, run.__name__  # noqa: S101 - ours: a tool does what an operation does
        _, parameter = inspect.signature(run).parameters.values()
        TOOLS[run.__name__] = Tool(
            name=run.__name__,
            title=title,
            description=description,
            operation=operation,
            argument_type=parameter.annotation,
            answer=answer or operation.result_type,
            run=run,
        )
        return run

    return register


@_tool(
    title="Annul an invoice at the tax authority",
    description=(
        "Strike out an invoice (factura) that was reported but should never have been issued: no operation took "
        "place. Cannot be undone: ask the user first. Wrong amounts, rates or client take create_credit_note "
        "instead. It leaves the books when the authority says yes; `pending` means that the answer is "
        "still on its way; repeat to see it."
    ),
)
async def annul_einvoice(ctx: Context, arguments: Annulling) -> Json:
    return _body(await annulment.annul(ctx, AnnulInput(fiscal_id=arguments.fiscal_id, reason=arguments.reason)))


@_tool(
    title="Correct an emitted invoice",
    description=(
        "Issue a corrective invoice (factura rectificativa) for an emitted one, numbered and reported to the tax "
        "authority at once. Without items all that is left is given back; with items a part, in positive amounts. "
        "Cannot be undone: ask the user first, and take fiscalId and issueDate from get_invoice. Send "
        "idempotency_key so that a retry credits nothing twice."
    ),
)
async def create_credit_note(ctx: Context, arguments: Crediting) -> Json:
    return _body(await credit_note.credit_note(ctx, arguments.body()))


@_tool(
    title="Create a draft invoice",
    description=(
        "Create a draft invoice (factura) or credit note (factura rectificativa) with client, items, IVA and IRPF "
        "retention. Totals are computed here; leave taxRate out for the team's default IVA. Nothing fiscal happens "
        "and nothing is sent: the draft has no number until emit_einvoice. Send idempotency_key so that a retry "
        "creates no second draft."
    ),
)
async def create_invoice(ctx: Context, arguments: NewInvoice) -> Json:
    return _body(await invoices.create(ctx, arguments.body()))


@_tool(
    title="Emit an invoice to the tax authority",
    description=(
        "Number, seal and report one invoice to the tax authority (in Spain VERI*FACTU, AEAT) and return the "
        "record with QR and hash. Cannot be undone: ask the user first, and check the draft with get_invoice. "
        "Safe to repeat while `pending` (no answer yet) or accepted: the same record. What was refused gets a new "
        "record each time: mend the cause first. Needs the team's NIF and its e-invoicing on."
    ),
)
async def emit_einvoice(ctx: Context, arguments: Emission) -> Json:
    return _body(await einvoice.emit(ctx, EmitInput(invoice_id=arguments.invoice_id, correct=arguments.correct)))


@_tool(
    title="Get one invoice",
    description=(
        "One invoice (factura) by id: client, items, base imponible, IVA per rate, IRPF retention, total, what is "
        "paid, status, and its fiscal record once emitted (`einvoice`, null before). To find an id by number or "
        "client name use list_invoices. Changes nothing."
    ),
)
async def get_invoice(ctx: Context, arguments: InvoiceId) -> Json:
    return _body(await invoices.get(ctx, arguments.id))


@_tool(
    title="Find invoices",
    description=(
        "Find invoices (facturas), the newest first, by status (draft, sent, paid, overdue = vencida) or by text "
        "in number, client, NIF, items or notes. Twenty a page: when nextPage is not null there are more, ask "
        "again with it as page. Changes nothing."
    ),
    answer=InvoiceList,
)
async def list_invoices(ctx: Context, arguments: InvoiceQuery) -> Json:
    conditions = lists.InvoiceFilter(status=arguments.status, text=arguments.search)
    page = await lists.listing(ctx, PageRequest(arguments.page, arguments.limit), conditions)
    next_page = page.number + 1 if page.number < page.last else None
    return {"items": json.loads(page.body), "page": page.number, "total": page.total, "nextPage": next_page}


@_tool(
    title="Who am I",
    description=(
        "The user, the team (issuer) whose books these are with its NIF and country, your role in it, the areas "
        "open to you, and the AI actions left. Call it first; when the team's taxId is null or its einvoicing off, "
        "emit_einvoice will be refused. Changes nothing."
    ),
)
async def whoami(ctx: Context, _arguments: Nothing) -> Json:
    return _body(await teams.whoami(ctx))


def _body(answer: Wire) -> Json:
    """Dump an answer as REST sends it."""
    return answer.model_dump(mode="json", by_alias=True)
