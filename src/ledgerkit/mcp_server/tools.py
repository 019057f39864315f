"""The tools: what agents read about each, and the gated service function behind it."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from mcp.types import Tool as Published
from mcp.types import ToolAnnotations

from ledgerkit.core.api_types.paging import PageRequest
from ledgerkit.core.api_types.wire import Wire
from ledgerkit.core.einvoice import service as einvoice
from ledgerkit.core.einvoice.issuance import annulment, credit_note
from ledgerkit.core.einvoice.schemas import AnnulInput, Annulled, EInvoiceResult, EmitInput
from ledgerkit.core.invoices import lists
from ledgerkit.core.invoices import service as invoices
from ledgerkit.core.invoices.schemas import Invoice
from ledgerkit.core.request.context import Context
from ledgerkit.core.teams import service as teams
from ledgerkit.core.teams.schemas import WhoAmI
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


@dataclass(frozen=True, kw_only=True)
class Tool:
    """One tool. `run` gets arguments of the type `given` and answers JSON of the schema of `answer`."""

    name: str
    title: str
    description: str
    given: type[Wire]
    answer: type[Wire]
    run: Callable[[Context, Any], Awaitable[Json]]
    read_only: bool
    destructive: bool
    idempotent: bool
    open_world: bool

    @cached_property
    def schema(self) -> Json:
        """The JSON schema of its arguments."""
        return published(self.given, given=True)

    @cached_property
    def published(self) -> Published:
        """As tools/list shows it."""
        return Published(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=self.schema,
            output_schema=published(self.answer, given=False),
            annotations=ToolAnnotations(
                read_only_hint=self.read_only,
                destructive_hint=self.destructive,
                idempotent_hint=self.idempotent,
                open_world_hint=self.open_world,
            ),
        )


async def _annul_einvoice(ctx: Context, given: Annulling) -> Json:
    return _body(await annulment.annul(ctx, AnnulInput(fiscal_id=given.fiscal_id, reason=given.reason)))


async def _create_credit_note(ctx: Context, given: Crediting) -> Json:
    return _body(await credit_note.credit_note(ctx, given.body()))


async def _create_invoice(ctx: Context, given: NewInvoice) -> Json:
    return _body(await invoices.create(ctx, given.body()))


async def _emit_einvoice(ctx: Context, given: Emission) -> Json:
    return _body(await einvoice.emit(ctx, EmitInput(invoice_id=given.invoice_id, correct=given.correct)))


async def _get_invoice(ctx: Context, given: InvoiceId) -> Json:
    return _body(await invoices.get(ctx, given.id))


async def _list_invoices(ctx: Context, given: InvoiceQuery) -> Json:
    sought = lists.InvoiceFilter(status=given.status, text=given.search)
    found = await lists.listing(ctx, PageRequest(given.page, given.limit), sought)
    following = found.number + 1 if found.number < found.last else None
    return {"items": json.loads(found.body), "page": found.number, "total": found.total, "nextPage": following}


async def _whoami(ctx: Context, _given: Nothing) -> Json:
    return _body(await teams.whoami(ctx))


def _body(answer: Wire) -> Json:
    """As REST sends it."""
    return answer.model_dump(mode="json", by_alias=True)


_ALL = (
    Tool(
        name="annul_einvoice",
        title="Annul an invoice at the tax authority",
        description=(
            "Strike out an invoice (factura) that was reported but should never have been issued: no operation took "
            "place. Cannot be undone: ask the user first. Wrong amounts, rates or client take create_credit_note "
            "instead. It leaves the books when the authority says yes; `pending` means that the answer is "
            "still on its way; repeat to see it."
        ),
        given=Annulling,
        answer=Annulled,
        run=_annul_einvoice,
        read_only=False,
        destructive=True,
        idempotent=False,
        open_world=True,
    ),
    Tool(
        name="create_credit_note",
        title="Correct an emitted invoice",
        description=(
            "Issue a corrective invoice (factura rectificativa) for an emitted one, numbered and reported to the tax "
            "authority at once. Without items all that is left is given back; with items a part, in positive amounts. "
            "Cannot be undone: ask the user first, and take fiscalId and issueDate from get_invoice. Send "
            "idempotency_key so that a retry credits nothing twice."
        ),
        given=Crediting,
        answer=EInvoiceResult,
        run=_create_credit_note,
        read_only=False,
        destructive=True,
        idempotent=False,
        open_world=True,
    ),
    Tool(
        name="create_invoice",
        title="Create a draft invoice",
        description=(
            "Create a draft invoice (factura) or credit note (factura rectificativa) with client, items, IVA and IRPF "
            "retention. Totals are computed here; leave taxRate out for the team's default IVA. Nothing fiscal happens "
            "and nothing is sent: the draft has no number until emit_einvoice. Send idempotency_key so that a retry "
            "creates no second draft."
        ),
        given=NewInvoice,
        answer=Invoice,
        run=_create_invoice,
        read_only=False,
        destructive=False,
        idempotent=False,
        open_world=False,
    ),
    Tool(
        name="emit_einvoice",
        title="Emit an invoice to the tax authority",
        description=(
            "Number, seal and report one invoice to the tax authority (in Spain VERI*FACTU, AEAT) and return the "
            "record with QR and hash. Cannot be undone: ask the user first, and check the draft with get_invoice. "
            "Safe to repeat while `pending` (no answer yet) or accepted: the same record. What was refused gets a new "
            "record each time: mend the cause first. Needs the team's NIF and its e-invoicing on."
        ),
        given=Emission,
        answer=EInvoiceResult,
        run=_emit_einvoice,
        read_only=False,
        destructive=True,
        idempotent=True,
        open_world=True,
    ),
    Tool(
        name="get_invoice",
        title="Get one invoice",
        description=(
            "One invoice (factura) by id: client, items, base imponible, IVA per rate, IRPF retention, total, what is "
            "paid, status, and its fiscal record once emitted (`einvoice`, null before). To find an id by number or "
            "client name use list_invoices. Changes nothing."
        ),
        given=InvoiceId,
        answer=Invoice,
        run=_get_invoice,
        read_only=True,
        destructive=False,
        idempotent=True,
        open_world=False,
    ),
    Tool(
        name="list_invoices",
        title="Find invoices",
        description=(
            "Find invoices (facturas), the newest first, by status (draft, sent, paid, overdue = vencida) or by text "
            "in number, client, NIF, items or notes. Twenty a page: when nextPage is not null there are more, ask "
            "again with it as page. Changes nothing."
        ),
        given=InvoiceQuery,
        answer=InvoiceList,
        run=_list_invoices,
        read_only=True,
        destructive=False,
        idempotent=True,
        open_world=False,
    ),
    Tool(
        name="whoami",
        title="Who am I",
        description=(
            "The user, the team (issuer) whose books these are with its NIF and country, your role in it, the areas "
            "open to you, and the AI actions left. Call it first; when the team's taxId is null or its einvoicing off, "
            "emit_einvoice will be refused. Changes nothing."
        ),
        given=Nothing,
        answer=WhoAmI,
        run=_whoami,
        read_only=True,
        destructive=False,
        idempotent=True,
        open_world=False,
    ),
)

TOOLS: Mapping[str, Tool] = {tool.name: tool for tool in _ALL}
"""By name, in the order in which they are listed: alphabetical."""
