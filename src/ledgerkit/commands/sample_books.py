"""Books of an invented freelancer, with which a stranger tries everything without an account anywhere."""

from dataclasses import replace
from datetime import timedelta
from secrets import token_hex, token_urlsafe
from typing import Any

from ledgerkit.core.einvoice import operations as einvoice
from ledgerkit.core.einvoice.api import EmitInput
from ledgerkit.core.platform.identity.api import Credentials, Registration
from ledgerkit.core.platform.identity.logins.authentication import Authenticator
from ledgerkit.core.platform.request.context import Context, Kernel, RequestMetadata
from ledgerkit.core.sales.clients import operations as clients
from ledgerkit.core.sales.clients.api import ClientInput
from ledgerkit.core.sales.invoices import operations as invoices
from ledgerkit.core.sales.invoices.api import InvoiceInput
from ledgerkit.core.tasks import operations as tasks
from ledgerkit.core.tasks.api import TaskInput
from ledgerkit.core.teams import operations as teams
from ledgerkit.core.teams.api import TeamInput
from ledgerkit.core.teams.invitations import acceptance as registering

_ISSUER: dict[str, Any] = {
    "name": "Marta Ruiz Lagos",
    "country": "ES",
    "taxId": "12345678Z",
    "address": "Calle Mayor 1",
    "postalCode": "50001",
    "city": "Zaragoza",
    "province": "Zaragoza",
    "defaultRetentionRate": 15,
}
_CLIENTS: list[dict[str, Any]] = [
    {"name": "Acme Consulting, S.L.", "taxId": "B12345674", "email": "facturas@example.com", "city": "Madrid"},
    {"name": "Talleres Norte, S.L.", "taxId": "B76543214", "email": "norte@example.com", "city": "Zaragoza"},
    {"name": "Lola Marín", "taxId": "11111111H", "city": "Teruel"},
]
_ADDRESS = {"address": "Calle Alta 2", "postalCode": "50002", "country": "ES"}


async def make(kernel: Kernel, language: str) -> tuple[Context, Credentials]:
    """Make the account with its books, and return a context of its login, and that login. Raises Problem."""
    login = Credentials(email=f"marta.{token_hex(3)}@example.com", password=token_urlsafe(12))
    metadata = RequestMetadata(language=language)
    stranger = Context(kernel=kernel, request_metadata=metadata)
    registered = await registering.register(
        stranger, Registration(email=login.email, password=login.password, name=_ISSUER["name"])
    )
    actor = await kernel.service(Authenticator).by_token(registered.token)
    await teams.set_up(Context(kernel=kernel, who=actor), TeamInput.model_validate({**_ISSUER, "email": login.email}))
    actor = await kernel.service(Authenticator).by_token(registered.token)
    ctx = Context(kernel=kernel, who=actor, request_metadata=metadata)
    await _fill(ctx)
    return replace(ctx, request_metadata=RequestMetadata(language=language)), login


async def _fill(ctx: Context) -> None:
    stored = [
        await clients.create(
            ctx, ClientInput.model_validate({**_ADDRESS, **fields, "isCompany": "S.L." in fields["name"]})
        )
        for fields in _CLIENTS
    ]
    today = ctx.account.today()
    for client, price, words in ((stored[0], 500, "Identidad visual"), (stored[1], 1000, "Catálogo de otoño")):
        draft = await invoices.create(
            ctx,
            InvoiceInput.model_validate(
                {
                    "clientId": client.id,
                    "items": [{"description": words, "quantity": 1, "unitPrice": price}],
                    "dueDate": (today + timedelta(days=15)).isoformat(),
                }
            ),
        )
        await einvoice.emit(replace(ctx, request_metadata=RequestMetadata()), EmitInput(invoice_id=draft.id))
    due = (today + timedelta(days=1)).isoformat()
    await tasks.create(ctx, TaskInput.model_validate({"title": "Llamar al gestor", "dueDate": due}))
