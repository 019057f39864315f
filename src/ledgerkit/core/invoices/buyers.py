"""The client of an invoice: the stored one that is meant, and the copy that the invoice keeps."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

from ledgerkit.core import tax_ids
from ledgerkit.core.clients import service as clients
from ledgerkit.core.clients.schemas import ClientInput
from ledgerkit.core.context import Context
from ledgerkit.core.document_words import check_language, usual_language
from ledgerkit.core.invoices.schemas import InvoiceClientInput, InvoiceFields

_COPIED = ("email", "address", "city", "postal_code", "province", "language")


@dataclass(frozen=True, kw_only=True)
class Buyer:
    """The client as this invoice will carry it, and the stored one it came from with its own defaults."""

    copy: dict[str, Any]
    client_id: UUID | None
    tax_rate: Decimal | None = None
    retention_rate: Decimal | None = None
    term_days: int | None = None


async def buyer(ctx: Context, data: InvoiceFields, *, storing: bool) -> Buyer:
    """The stored client that is meant, with what this invoice says differently on top."""
    check_language(ctx, data.client.language if data.client else None, "client.language")
    if data.client_id is not None:
        stored = await clients.stored(ctx, data.client_id)
        return _copied(ctx, stored, data.client)
    if data.client is None:
        return Buyer(copy=_copy(ctx, {}, None), client_id=None)
    country = data.client.country or ctx.account.country
    tax_id = tax_ids.normalised(ctx, data.client.tax_id, country, "client.taxId", data.client.tax_id_kind)
    embedded = data.client.model_copy(update={"tax_id": tax_id, "country": country})
    stored = await clients.match(ctx, embedded.name, tax_id)
    if stored is None and storing:
        created = await clients.create(ctx, ClientInput(**embedded.model_dump()))
        return Buyer(copy=_copy(ctx, {}, embedded), client_id=UUID(created.id))
    if stored is None:
        return Buyer(copy=_copy(ctx, {}, embedded), client_id=None)
    return _copied(ctx, stored, embedded)


def _copied(ctx: Context, stored: Any, embedded: InvoiceClientInput | None) -> Buyer:
    return Buyer(
        copy=_copy(ctx, stored, embedded),
        client_id=stored.id,
        tax_rate=stored.default_tax_rate,
        retention_rate=stored.default_retention_rate,
        term_days=stored.payment_term_days,
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
