"""Client of an invoice: the stored client that the caller refers to, and the invoice's own copy of it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from uuid import UUID

from pydantic.alias_generators import to_camel

from ledgerkit.core.platform.documents import tax_ids
from ledgerkit.core.platform.documents.languages import check_language, usual_language
from ledgerkit.core.platform.records import namesakes
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.clients import operations as clients
from ledgerkit.core.sales.clients.api import ClientInput
from ledgerkit.core.sales.clients.table import ClientRow
from ledgerkit.core.sales.invoices.api import InvoiceClientInput, InvoiceFields
from ledgerkit.core.sales.invoices.content import last_invoices
from ledgerkit.core.sales.invoices.json_columns.codecs import StoredClient
from ledgerkit.core.sales.invoices.texts import InvoicesMsg
from ledgerkit.problems import Code, Invalid
from ledgerkit.texts import text


@dataclass(frozen=True, kw_only=True)
class Buyer:
    """Copy of the client for one invoice, and the id and defaults of the stored client that it was copied from.

    `bears_surcharge`: the client is under the equivalence surcharge; None where that has to be looked up. `warnings`
    name the fields in which this invoice differs from the stored client.
    """

    copy: StoredClient
    client_id: UUID | None
    tax_rate: Decimal | None = None
    retention_rate: Decimal | None = None
    term_days: int | None = None
    bears_surcharge: bool | None = None
    warnings: tuple[str, ...] = ()


async def buyer(ctx: Context, data: InvoiceFields, *, storing: bool, current: UUID | None = None) -> Buyer:
    """Return the stored client that the caller refers to, overlaid with what this invoice says differently.

    A tax id means the client that has it. Of several it is the one whose name matches, else the newest; of several of
    the name the oldest with an address, with a warning. A name alone means the only stored client of that name. If
    several have it, a new client is made, with a warning. In conversations, as over MCP, the caller is asked instead.
    `storing`: a client that matches none is stored. `current` is the client that the invoice has already. Raises
    NotFound for an unknown clientId, Invalid CLIENT_CONFLICT when `client` has another tax id than the client of
    `clientId`, CLIENT_AMBIGUOUS.
    """
    check_language(ctx, data.client.language if data.client else None, "client.language")
    if data.client_id is not None:
        return await _named(ctx, data.client_id, data.client)
    if data.client is None:
        return Buyer(copy=_copy(ctx, None, None), client_id=None)
    embedded = _normalised(ctx, data.client, ctx.account.country)
    if embedded.tax_id is not None and (same := await clients.of_tax_id(ctx, embedded.name, embedded.tax_id)):
        return await _of_tax_id(ctx, embedded, same, current)
    clients_of_name: list[ClientRow] = []
    stored: ClientRow | None = None
    if embedded.tax_id is None:
        clients_of_name = await clients.of_name(ctx, embedded.name, data.client.country)
        stored = _only(clients_of_name, current)
        if stored is not None:
            embedded = embedded.model_copy(update={"name": stored.name, "country": stored.country})
    if stored is not None:
        return replace(of_stored(ctx, stored, embedded), warnings=_differences(ctx, stored, embedded))
    warnings = await _ambiguous(ctx, embedded.name, clients_of_name)
    new_id: UUID | None = None
    if storing:
        fields = ClientInput.model_fields.items()
        whole = {name: getattr(embedded, name, field.default) for name, field in fields}  # checked when it was sent
        new_id = UUID((await clients.create(ctx, ClientInput.model_construct(**whole))).id)
    return Buyer(copy=_copy(ctx, None, embedded), client_id=new_id, bears_surcharge=False, warnings=warnings)


def _only(clients_of_name: Sequence[ClientRow], current: UUID | None) -> ClientRow | None:
    """Return the only client of a name, or of several the one that the invoice has already; None for no such one."""
    if len(clients_of_name) == 1:
        return clients_of_name[0]
    return next((client for client in clients_of_name if client.id == current), None)


async def _of_tax_id(
    ctx: Context, embedded: InvoiceClientInput, same: Sequence[ClientRow], current: UUID | None
) -> Buyer:
    """Return the stored client of a tax id: the only one, or the one that the invoice has already, or the first.

    Of several it has a warning. Raises Invalid CLIENT_AMBIGUOUS for a caller who can be asked which of them is meant.
    """
    only = _only(same, current)
    if only is not None:
        return of_stored(ctx, only, embedded)
    last_days = await last_invoices.days(ctx, [client.id for client in same])
    candidates = namesakes.candidates(same, last_days)
    listed = namesakes.listed(candidates, by=("id", "name", "city"))
    if namesakes.can_be_asked(ctx):
        message, code = InvoicesMsg.CLIENT_AMBIGUOUS_BY_TAX_ID, Code.CLIENT_AMBIGUOUS
        problem = Invalid.field("client.taxId", message, code=code, tax_id=embedded.tax_id, listed=listed)
        raise namesakes.asking(problem, candidates)
    warning = text(InvoicesMsg.CLIENT_CHOSEN, tax_id=embedded.tax_id, listed=listed, taken=str(same[0].id))
    return replace(of_stored(ctx, same[0], embedded), warnings=(warning.in_language(ctx.request_metadata.language),))


async def _ambiguous(ctx: Context, name: str, clients_of_name: Sequence[ClientRow]) -> tuple[str, ...]:
    """Return the warning that a new client has the name of several others.

    Raises Invalid CLIENT_AMBIGUOUS for a caller who can be asked which of them is meant.
    """
    if not clients_of_name:
        return ()
    last_days = await last_invoices.days(ctx, [client.id for client in clients_of_name])
    candidates = namesakes.candidates(clients_of_name, last_days)
    listed = namesakes.listed(candidates)
    if namesakes.can_be_asked(ctx):
        problem = Invalid.field(
            "client.name", InvoicesMsg.CLIENT_AMBIGUOUS, code=Code.CLIENT_AMBIGUOUS, name=name, listed=listed
        )
        raise namesakes.asking(problem, candidates)
    warning = text(InvoicesMsg.CLIENT_AMBIGUOUS_WARNING, name=name, listed=listed)
    return (warning.in_language(ctx.request_metadata.language),)


async def _named(ctx: Context, client_id: str, overlay: InvoiceClientInput | None) -> Buyer:
    """Return the stored client of this id, with the fields of `overlay` in place of its own."""
    stored = await clients.stored(ctx, client_id)
    if overlay is None:
        return of_stored(ctx, stored)
    embedded = _normalised(ctx, overlay, stored.country) if overlay.tax_id else overlay
    _check_same(stored, embedded)
    return replace(of_stored(ctx, stored, embedded), warnings=_differences(ctx, stored, embedded))


def _normalised(ctx: Context, client: InvoiceClientInput, default_country: str) -> InvoiceClientInput:
    """Return the client with its country and its tax identifier in normal form. Raises Invalid TAX_ID_INVALID."""
    country = client.country or default_country
    tax_id = tax_ids.normalised(ctx, client.tax_id, country, "client.taxId", client.tax_id_kind)
    return client.model_copy(update={"tax_id": tax_id, "country": country})


def _check_same(stored: ClientRow, embedded: InvoiceClientInput) -> None:
    """Raise Invalid CLIENT_CONFLICT when the invoice would have the name of one company and the tax id of another."""
    if not embedded.tax_id or not stored.tax_id or _bare(embedded.tax_id) == _bare(stored.tax_id):
        return
    sent_id, stored_client = embedded.tax_id, f"{stored.name} ({stored.tax_id})"
    raise Invalid.field(
        "client.taxId",
        InvoicesMsg.CLIENT_CONFLICT,
        code=Code.CLIENT_CONFLICT,
        sent_id=sent_id,
        stored_client=stored_client,
    )


def _bare(tax_id: str) -> str:
    """Return the letters and digits only: spaces and hyphens distinguish nobody."""
    return "".join(character for character in tax_id.upper() if character.isalnum())


def _differences(ctx: Context, stored: ClientRow, embedded: InvoiceClientInput) -> tuple[str, ...]:
    """Return the warning that names the fields in which `client` differs from the stored client, if any."""
    sent = embedded.model_dump(exclude_none=True)
    fields = [f"client.{to_camel(name)}" for name, value in sent.items() if getattr(stored, name) not in {None, value}]
    if not fields:
        return ()
    warning = text(InvoicesMsg.CLIENT_DIFFERS, fields=", ".join(fields))
    return (warning.in_language(ctx.request_metadata.language),)


def repeats(copy: StoredClient, client: InvoiceClientInput) -> bool:
    """Return True when `client` only repeats the invoice's copy, because sending back what was read is not an edit."""
    sent = client.model_dump(exclude_none=True)
    tax_id = sent.pop("tax_id", None)
    same_tax_id = tax_id is None or _bare(tax_id) == _bare(copy.tax_id or "")
    return same_tax_id and all(getattr(copy, name) == value for name, value in sent.items())


def of_stored(ctx: Context, stored: ClientRow, embedded: InvoiceClientInput | None = None) -> Buyer:
    """Return the stored client, with the fields that the invoice gives in place of its own."""
    return Buyer(
        copy=_copy(ctx, stored, embedded),
        client_id=stored.id,
        tax_rate=stored.default_tax_rate,
        retention_rate=stored.default_retention_rate,
        term_days=stored.payment_term_days,
        bears_surcharge=stored.equivalence_surcharge,
    )


def _copy(ctx: Context, stored: ClientRow | None, embedded: InvoiceClientInput | None) -> StoredClient:
    """Return the client as the invoice stores it: the fields that the invoice gives, else the stored client's."""
    sent = {} if embedded is None else embedded.model_dump(exclude_none=True)
    merged = {name: sent.get(name, getattr(stored, name, None)) for name in StoredClient.model_fields}
    country = merged["country"] or ctx.account.country
    language = merged["language"] or usual_language(ctx.kernel.countries, country)
    return StoredClient(**{**merged, "country": country, "language": language})
