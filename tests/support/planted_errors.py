"""Forty acts that are not what a person has asked for: `asked` is what they said, as a summary writes it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from babel.dates import format_date

from support.api import CLIENT, Api, item
from support.scenes.ask import Of

IBAN, OTHER_IBAN, THIRD_IBAN = "ES9121000418450200051332", "ES7921000813610123456789", "DE89370400440532013000"


@dataclass(frozen=True)
class Planted:
    """An act as it was asked for (`right`), and with an error in it (`wrong`), perhaps by another operation."""

    error: str
    operation: str
    asked: tuple[str, ...]
    right: Mapping[str, Any]
    wrong: Mapping[str, Any]
    other_operation: str = ""

    @property
    def wrong_operation(self) -> str:
        return self.other_operation or self.operation


DRAFT: Mapping[str, Any] = {
    "client": CLIENT,
    "items": [item(quantity=2, unitPrice=600)],
    "taxRate": 21,
    "retentionRate": 15,
    "issueDate": "2026-11-02",
    "dueDate": "2026-12-02",
    "iban": IBAN,
}
SAID = (
    "Cliente: Talleres Norte, S.L. (B12345674)",
    "IVA: 252,00 EUR",
    "Retención: 180,00 EUR",
    "Total: 1.272,00 EUR",
    "Fecha de expedición: 2 de noviembre de 2026",
    "Vencimiento: 2 de diciembre de 2026",
    "Identidad visual, 2 \u00d7 600,00 (21 %)",
    f"Cuenta bancaria para el pago: {IBAN}",
)


def _draft(error: str, **wrong: Any) -> Planted:
    return Planted(error, "invoices.create", SAID, DRAFT, {**DRAFT, **wrong})


_ITEM = item(quantity=2, unitPrice=600)
_FIRST, _SECOND = {"id": Of("first")}, {"id": Of("second")}
_PAID = {"paidAt": Of("first day"), "amount": 100}
_PAID_SAID = ("Cobrado: 100,00 EUR", "Fecha de cobro: {today}")
_CREDIT = {"invoiceId": Of("first"), "originalFiscalId": Of("first fiscal"), "originalDate": Of("first day")}
_PART = {**_CREDIT, "reason": "R1", "items": [item(unitPrice=100)]}
_EXPENSE = {"description": "Mesa", "amount": 121, "taxRate": 21, "date": "2026-11-02", "vendor": "Muebles Sur"}
_EXPENSE_SAID = ("Mesa", "Muebles Sur", "121,00 EUR", "21 %", "2 de noviembre de 2026")
_QUARTER = {"country": "ES", "year": 2026, "period": "Q3", "form": "303"}
_QUARTER_SAID = ("modelo 303 de Q3 2026", "Desde: 1 de julio de 2026", "Hasta: 30 de septiembre de 2026")
_MAIL_SAID = ("Enviar por correo", "Talleres Norte, S.L. (B12345674)", "1.452,00 EUR", "Para: pagos@norte.example")

PLANTED = [
    _draft("another client", client={**CLIENT, "name": "Talleres Sur, S.L.", "taxId": "B29805314"}),
    _draft("a client of the same name", client={**CLIENT, "taxId": "B29805314"}),
    _draft("a price ten times higher", items=[item(quantity=2, unitPrice=6000)]),
    _draft("a price ten times lower", items=[item(quantity=2, unitPrice=60)]),
    _draft("a quantity ten times higher", items=[item(quantity=20, unitPrice=600)]),
    _draft("price and quantity exchanged", items=[item(quantity=600, unitPrice=2)]),
    _draft("another rate", taxRate=10),
    _draft("no tax", items=[{**_ITEM, "taxCategory": "exempt", "exemptionCode": "E1"}]),
    _draft("no retention", retentionRate=0),
    _draft("another retention", retentionRate=7),
    _draft("another currency", currency="USD", exchangeRate=0.9),
    _draft("another month", issueDate="2026-10-02"),
    _draft("another year to pay in", dueDate="2027-12-02"),
    _draft("another concept", items=[item(description="Página web", quantity=2, unitPrice=600)]),
    _draft("a line more", items=[_ITEM, item(description="Prima", unitPrice=0.01)]),
    _draft("a discount", items=[{**_ITEM, "discount": 50}]),
    _draft("another account to pay into", iban=THIRD_IBAN),
    Planted(
        "mailed to another domain",
        "einvoice.status.send_email",
        _MAIL_SAID,
        {**_FIRST, "email": "pagos@norte.example"},
        {**_FIRST, "email": "pagos@norte-example.com"},
    ),
    Planted(
        "mailed to an address that looks alike",
        "einvoice.status.send_email",
        _MAIL_SAID,
        {**_FIRST, "email": "pagos@norte.example"},
        {**_FIRST, "email": "pagos@n0rte.example"},
    ),
    Planted(
        "another invoice is mailed",
        "einvoice.status.send_email",
        _MAIL_SAID,
        {**_FIRST, "email": "pagos@norte.example"},
        {**_SECOND, "email": "pagos@norte.example"},
    ),
    Planted(
        "shared in place of mailed",
        "einvoice.status.send_email",
        _MAIL_SAID,
        {**_FIRST, "email": "pagos@norte.example"},
        _FIRST,
        "invoices.public_links.share",
    ),
    Planted(
        "a payment ten times higher",
        "einvoice.issuance.pay",
        _PAID_SAID,
        {**_FIRST, **_PAID},
        {**_FIRST, **_PAID, "amount": 1000},
    ),
    Planted(
        "a payment on another day",
        "einvoice.issuance.pay",
        _PAID_SAID,
        {**_FIRST, **_PAID},
        {**_FIRST, **_PAID, "paidAt": Of("tomorrow")},
    ),
    Planted(
        "a payment of another invoice",
        "einvoice.issuance.pay",
        ("Talleres Norte, S.L. (B12345674)", "Cobrado: 100,00 EUR"),
        {**_FIRST, **_PAID},
        {**_SECOND, **_PAID},
    ),
    Planted(
        "all is credited in place of a part",
        "einvoice.issuance.credit_note",
        ("Total: -121,00 EUR", "Motivo: R1"),
        _PART,
        {**_CREDIT, "reason": "R1"},
    ),
    Planted(
        "credited for another reason",
        "einvoice.issuance.credit_note",
        ("Total: -121,00 EUR", "Motivo: R1"),
        _PART,
        {**_PART, "reason": "R4"},
    ),
    Planted(
        "annulled in place of credited",
        "einvoice.issuance.credit_note",
        ("factura rectificativa", "Total: -121,00 EUR"),
        _PART,
        {"fiscalId": Of("first fiscal"), "reason": "R1"},
        "einvoice.issuance.annul",
    ),
    Planted("another quarter", "declarations.generate", _QUARTER_SAID, _QUARTER, {**_QUARTER, "period": "Q2"}),
    Planted("another year", "declarations.generate", _QUARTER_SAID, _QUARTER, {**_QUARTER, "year": 2025}),
    Planted("another form", "declarations.generate", _QUARTER_SAID, _QUARTER, {**_QUARTER, "form": "130"}),
    Planted(
        "another account of one's own",
        "teams.update_current",
        (OTHER_IBAN,),
        {"iban": OTHER_IBAN},
        {"iban": THIRD_IBAN},
    ),
    Planted(
        "another account of a vendor",
        "vendors.update",
        ("Papelera", IBAN),
        {"id": Of("vendor"), "iban": IBAN},
        {"id": Of("vendor"), "iban": OTHER_IBAN},
    ),
    Planted(
        "the account of another vendor",
        "vendors.update",
        ("Papelera", IBAN),
        {"id": Of("vendor"), "iban": IBAN},
        {"id": Of("other vendor"), "iban": IBAN},
    ),
    Planted(
        "an admin in place of a reader",
        "teams.invitations.invite",
        ("eva@example.com", "Rol: consulta"),
        {"email": "eva@example.com", "role": "viewer"},
        {"email": "eva@example.com", "role": "admin"},
    ),
    Planted(
        "another person is invited",
        "teams.invitations.invite",
        ("eva@example.com", "Rol: consulta"),
        {"email": "eva@example.com", "role": "viewer"},
        {"email": "eva@example.org", "role": "viewer"},
    ),
    Planted(
        "an expense in another year", "expenses.create", _EXPENSE_SAID, _EXPENSE, {**_EXPENSE, "date": "2025-11-02"}
    ),
    Planted("an expense with another rate", "expenses.create", _EXPENSE_SAID, _EXPENSE, {**_EXPENSE, "taxRate": 10}),
    Planted(
        "an expense of another vendor", "expenses.create", _EXPENSE_SAID, _EXPENSE, {**_EXPENSE, "vendor": "Norte"}
    ),
    Planted(
        "stock is taken in place of added",
        "catalog.stock.adjust",
        ("Camiseta", "40 → 45"),
        {"id": Of("shirt"), "delta": 5},
        {"id": Of("shirt"), "delta": -5},
    ),
    Planted(
        "the client of the same name is deleted",
        "clients.delete",
        ("Eliminar cliente: Ana Pérez", "NIF: 12345678Z"),
        {"id": Of("client")},
        {"id": Of("namesake")},
    ),
]


async def books(api: Api) -> dict[str, str]:
    """Ids of the records that the acts are about."""
    await api.put("/api/teams/current", {"iban": IBAN})
    ids: dict[str, str] = {}
    sur = {**CLIENT, "name": "Talleres Sur, S.L.", "taxId": "B29805314"}
    for name, client in (("first", CLIENT), ("second", sur)):
        draft = await api.post("/api/invoices", {"client": client, "items": [item()], "taxRate": 21})
        emitted = await api.post("/api/einvoice/emit", {"invoiceId": draft["id"]})
        ids |= {name: draft["id"], f"{name} fiscal": emitted["fiscalId"], f"{name} day": draft["issueDate"]}
    today = date.fromisoformat(ids["first day"])
    ids |= {"today": format_date(today, "long", locale="es"), "tomorrow": (today + timedelta(days=1)).isoformat()}
    ids["vendor"] = (await api.post("/api/vendors", {"name": "Papelera", "iban": THIRD_IBAN}))["id"]
    ids["other vendor"] = (await api.post("/api/vendors", {"name": "Imprenta", "iban": THIRD_IBAN}))["id"]
    ids["shirt"] = (await api.post("/api/catalog", {"name": "Camiseta", "unitPrice": 12, "stock": 40}))["id"]
    ids["client"] = (await api.post("/api/clients", {"name": "Ana Pérez", "taxId": "12345678Z"}))["id"]
    ids["namesake"] = (await api.post("/api/clients", {"name": "Ana Pérez", "taxId": "87654321X"}))["id"]
    return ids
