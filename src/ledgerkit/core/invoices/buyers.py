"""The client of an invoice: the stored one that is meant, and the copy that the invoice keeps."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any
from uuid import UUID

from ledgerkit.core.clients import service as clients
from ledgerkit.core.clients.schemas import ClientInput
from ledgerkit.core.documents import tax_ids
from ledgerkit.core.documents.languages import check_language, usual_language
from ledgerkit.core.invoices.schemas import InvoiceClientInput, InvoiceFields
from ledgerkit.core.request.context import Context
from ledgerkit.problems import Code, bilingual_field

_COPIED = ("email", "address", "city", "postal_code", "province", "language")


@dataclass(frozen=True, kw_only=True)
class Buyer:
    """The client as this invoice will carry it, and the stored one it came from with its own defaults.

    `bears_surcharge`: it is under the equivalence surcharge; None where that has to be looked up. `warnings` tell what
    this invoice says differently from what is stored.
    """

    copy: dict[str, Any]
    client_id: UUID | None
    tax_rate: Decimal | None = None
    retention_rate: Decimal | None = None
    term_days: int | None = None
    bears_surcharge: bool | None = None
    warnings: tuple[str, ...] = ()


async def buyer(ctx: Context, data: InvoiceFields, *, storing: bool) -> Buyer:
    """The stored client that is meant, with what this invoice says differently on top.

    Raises NotFound for an unknown clientId, Invalid CLIENT_CONFLICT when `client` has another tax id than it.
    """
    check_language(ctx, data.client.language if data.client else None, "client.language")
    if data.client_id is not None:
        return await _named(ctx, data.client_id, data.client)
    if data.client is None:
        return Buyer(copy=_copy(ctx, {}, None), client_id=None)
    embedded = _normalised(ctx, data.client, ctx.account.country)
    stored = await clients.match(ctx, embedded.name, embedded.tax_id)
    if stored is not None:
        return _copied(ctx, stored, embedded)
    made: UUID | None = None
    if storing:
        made = UUID((await clients.create(ctx, ClientInput(**embedded.model_dump()))).id)
    return Buyer(copy=_copy(ctx, {}, embedded), client_id=made, bears_surcharge=False)


async def _named(ctx: Context, client_id: str, said: InvoiceClientInput | None) -> Buyer:
    """The stored client of this id; what `said` leaves out is its own."""
    stored = await clients.stored(ctx, client_id)
    if said is None:
        return _copied(ctx, stored, None)
    embedded = _normalised(ctx, said, stored.country) if said.tax_id else said
    _check_same(stored, embedded)
    return replace(_copied(ctx, stored, embedded), warnings=_differences(ctx, stored, embedded))


def _normalised(ctx: Context, said: InvoiceClientInput, usual_country: str) -> InvoiceClientInput:
    """The client with its country, and its tax identifier in normal form. Raises Invalid TAX_ID_INVALID."""
    country = said.country or usual_country
    tax_id = tax_ids.normalised(ctx, said.tax_id, country, "client.taxId", said.tax_id_kind)
    return said.model_copy(update={"tax_id": tax_id, "country": country})


def _check_same(stored: Any, embedded: InvoiceClientInput) -> None:
    """Nobody is billed under the name of one company and the tax identifier of another."""
    if not embedded.tax_id or not stored.tax_id or _bare(embedded.tax_id) == _bare(stored.tax_id):
        return
    ours, theirs = embedded.tax_id, f"{stored.name} ({stored.tax_id})"
    raise bilingual_field(
        "client.taxId",
        (
            f"is {ours}, and clientId names {theirs}",
            "Send clientId or client, not both; or correct the one that is wrong.",
        ),
        (
            f"es {ours}, y clientId nombra a {theirs}",
            "Envía clientId o client, no los dos; o corrige el que esté mal.",
        ),
        code=Code.CLIENT_CONFLICT,
    )


def _bare(tax_id: str) -> str:
    """Letters and digits only: how it is written tells nobody apart."""
    return "".join(one for one in tax_id.upper() if one.isalnum())


def _differences(ctx: Context, stored: Any, embedded: InvoiceClientInput) -> tuple[str, ...]:
    """The text that names what `client` says otherwise than the stored client of `clientId`, if it does."""
    said = embedded.model_dump(exclude_none=True)
    fields = [f"client.{_CLIENT_NAMES[name]}" for name, value in said.items() if stored[name] not in {None, value}]
    if not fields:
        return ()
    named = ", ".join(fields)
    if ctx.request_metadata.language == "es":
        return (f"{named}: no es lo que hay guardado de clientId; esta factura dice lo que dice client",)
    return (f"{named}: differs from what is stored of clientId; this invoice says what client says",)


def _copied(ctx: Context, stored: Any, embedded: InvoiceClientInput | None) -> Buyer:
    return Buyer(
        copy=_copy(ctx, stored, embedded),
        client_id=stored.id,
        tax_rate=stored.default_tax_rate,
        retention_rate=stored.default_retention_rate,
        term_days=stored.payment_term_days,
        bears_surcharge=stored.equivalence_surcharge,
    )


def _copy(ctx: Context, stored: Mapping[Any, Any], embedded: InvoiceClientInput | None) -> dict[str, Any]:
    """The client on this invoice, in wire names: what the invoice says, else what is stored."""
    said = {} if embedded is None else embedded.model_dump(exclude_none=True)
    merged = {name: said.get(name, stored.get(name)) for name in ("name", "tax_id", "tax_id_kind", "country", *_COPIED)}
    country = merged["country"] = merged["country"] or ctx.account.country
    merged["language"] = merged["language"] or usual_language(ctx.kernel.countries, country)
    return {wire: merged[name] for name, wire in _CLIENT_NAMES.items()}


_CLIENT_NAMES = {
    "name": "name",
    "tax_id": "taxId",
    "tax_id_kind": "taxIdKind",
    "country": "country",
    "email": "email",
    "address": "address",
    "city": "city",
    "postal_code": "postalCode",
    "province": "province",
    "language": "language",
}
