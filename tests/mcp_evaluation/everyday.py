"""Fifteen everyday goals: a person's words, what the business begins with, the calls that reach it, and its end.

`pursue` makes the calls of an assistant that knows the tools and nothing else; a model gets the words instead. Both are
judged by what REST reads afterwards.
"""

from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from pydantic_core import to_json

from ledgerkit import clock
from mcp_server.conftest import Agent, Answer, Site
from support.api import Api, item
from support.modelserver import BILL, ModelServer, reads
from support.pictures import data_url, png

DEBTORS, PRODUCTS = 400, 200
PHOTO = data_url(png(), "image/png")


def today() -> Any:
    return clock.today("Europe/Madrid")


@dataclass
class Assistant:
    """A key at work over MCP, and what it has cost."""

    agent: Agent
    calls: int = 0
    bytes: int = 0

    async def call(self, tool: str, **arguments: Any) -> Any:
        """Return the answer of a call that succeeds, confirmed where that is asked for: then it is two calls."""
        answer = await self._once(tool, **arguments)
        if answer.get("confirmationRequired"):
            return await self._once(tool, **arguments, confirmation_token=answer["confirmationToken"])
        return answer

    async def refused(self, tool: str, **arguments: Any) -> Any:
        """Return the problem that a call is answered with."""
        answer = await self._answer(tool, **arguments)
        assert answer.failed, (tool, arguments, answer.body)
        return answer.body

    async def _once(self, tool: str, **arguments: Any) -> Any:
        answer = await self._answer(tool, **arguments)
        assert not answer.failed, (tool, arguments, answer.body)
        return answer.body

    async def _answer(self, tool: str, **arguments: Any) -> Answer:
        answer = await self.agent.call(tool, **arguments)
        self.calls += 1
        self.bytes += len(to_json(answer.body))
        return answer


@dataclass
class Goal:
    """One goal of somebody new. `reader` stands for the model that reads photos."""

    site: Site
    reader: ModelServer
    owner: Api = field(init=False)
    begun: dict[str, Any] = field(default_factory=dict)

    words = ""

    @property
    def trace(self) -> dict[str, Any]:
        """The goal as a golden trace, for `goals.Pursuit`."""
        return {"goal": self.words, "calls": []}

    @property
    def names(self) -> dict[str, Any]:
        return {"today": str(today())}

    async def prepared(self) -> Api:
        """Make what the goal begins with, and return the person whose key the assistant uses."""
        self.owner = await self.site.person()
        await self.prepare()
        return self.owner

    async def prepare(self) -> None:
        """Make what the business has already."""

    async def pursue(self, assistant: Assistant) -> None:
        """Make the calls that reach the goal."""
        raise NotImplementedError

    async def judge(self) -> None:
        """Compare what is stored with the goal. Raises AssertionError."""
        raise NotImplementedError

    async def the_only(self, path: str) -> Any:
        """Return the only record of a list."""
        (record,) = await self.owner.get(path)
        return record

    async def emitted(self, **fields: Any) -> Any:
        """Return an invoice that was emitted."""
        draft = await self.owner.invoice(**fields)
        await self.owner.post("/api/einvoice/emit", {"invoiceId": draft["id"]})
        return await self.owner.get(f"/api/invoices/{draft['id']}")


class BeginACompany(Goal):
    words = (
        "Monto mi empresa: Estudio Ría, NIF B12345674, Calle Mayor 1, 28013 Madrid, con IVA del 21 por defecto. "
        "Y prepara ya un borrador para Bar Lola: un cartel, 90 euros más IVA."
    )

    async def prepared(self) -> Api:
        self.owner = await Api.register(self.site.client, f"{uuid4().hex}@example.com")
        return self.owner

    async def pursue(self, assistant: Assistant) -> None:
        address = {"address": "Calle Mayor 1", "postalCode": "28013", "city": "Madrid"}
        await assistant.call("whoami")
        await assistant.call("save_company", name="Estudio Ría", taxId="B12345674", defaultTaxRate=21, **address)
        line = {"description": "Cartel", "quantity": 1, "unitPrice": 90}
        await assistant.call("create_invoice", client={"name": "Bar Lola"}, items=[line])

    async def judge(self) -> None:
        team = (await self.owner.get("/api/teams/current"))["team"]
        assert (team["name"], team["taxId"], team["city"]) == ("Estudio Ría", "B12345674", "Madrid")
        draft = await self.the_only("/api/invoices")
        assert (draft["client"]["name"], draft["total"], draft["status"]) == ("Bar Lola", 108.9, "draft")


class DraftForOneOfTwo(Goal):
    words = "Prepara una factura de 300 euros más IVA por un logo a maria lopez, la de Lugo. No la emitas."

    async def prepare(self) -> None:
        for city in ("Vigo", "Lugo"):
            client = {"name": "María López", "city": city, "country": "ES"}
            self.begun[city] = await self.owner.post("/api/clients", client)

    async def pursue(self, assistant: Assistant) -> None:
        line = {"description": "Logo", "quantity": 1, "unitPrice": 300}
        namesakes = await assistant.refused("create_invoice", client={"name": "maria lopez"}, items=[line], taxRate=21)
        (client,) = [client for client in namesakes["candidates"] if client["city"] == "Lugo"]
        await assistant.call("create_invoice", clientId=client["id"], items=[line], taxRate=21)

    async def judge(self) -> None:
        draft = await self.the_only("/api/invoices")
        assert (draft["clientId"], draft["status"], draft["total"]) == (self.begun["Lugo"]["id"], "draft", 363)
        assert len(await self.owner.get("/api/clients")) == 2


class EmitAndMail(Goal):
    words = "Emite el borrador que tengo y mándaselo al cliente con un «Gracias por su confianza». Sí, confirmo."

    async def prepare(self) -> None:
        self.begun = await self.owner.invoice()

    async def pursue(self, assistant: Assistant) -> None:
        (draft,) = (await assistant.call("list_invoices", status="draft"))["items"]
        await assistant.call("emit_einvoice", invoiceId=draft["id"])
        sent = await assistant.call("send_invoice", id=draft["id"], message="Gracias por su confianza.")
        assert sent["deliveredTo"] == "file"  # this site has no SMTP server

    async def judge(self) -> None:
        invoice = await self.owner.get(f"/api/invoices/{self.begun['id']}")
        assert invoice["status"] == "sent"
        status = await self.owner.get(f"/api/einvoice/status/{self.begun['id']}")
        assert status["status"] == "accepted"


class RecordABill(Goal):
    words = f"Here is the hardware shop's bill: {PHOTO}. Put it in as their invoice; I have paid all of it today."

    async def prepare(self) -> None:
        self.reader.says(reads(BILL))

    async def pursue(self, assistant: Assistant) -> None:
        scanned = await assistant.call("scan_receipt", image=PHOTO)
        vendor = await assistant.call("save_vendor", name=scanned["vendor"], taxId=scanned["vendorTaxId"])
        bill = await assistant.call(
            "create_supplier_invoice",
            vendorId=vendor["id"],
            invoiceNumber=scanned["invoiceNumber"],
            invoiceDate=scanned["date"],
            total=scanned["amount"],
            taxRate=scanned["taxRate"],
        )
        payment = {"amount": 24.2, "paymentDate": str(today()), "paymentMethod": "card"}
        await assistant.call("record_supplier_payment", id=bill["id"], **payment)

    async def judge(self) -> None:
        bill = await self.the_only("/api/supplier-invoices")
        assert (bill["vendorName"], bill["total"], bill["balance"]) == ("Ferretería Sur, S.L.", 24.2, 0)
        assert await self.owner.get("/api/expenses") == []


class SeeTheVat(Goal):
    words = "¿Cuánto IVA me sale este trimestre? Prepara el 303 y dime de qué facturas sale la casilla 07."

    async def prepare(self) -> None:
        await self.emitted()

    async def pursue(self, assistant: Assistant) -> None:
        await assistant.call("get_report", kind="vat_balance")
        period = f"Q{(today().month + 2) // 3}"
        wanted = {"country": "ES", "year": today().year, "period": period, "form": "303"}
        form = await assistant.call("generate_tax_declaration", **wanted)
        box = await assistant.call("get_tax_declaration", id=form["id"], box="07")
        assert "Talleres Norte" in to_json(box).decode() or "F2026-0001" in to_json(box).decode()

    async def judge(self) -> None:
        (form,) = (await self.owner.get("/api/tax-declarations"))["declarations"]
        assert (form["form"], form["status"]) == ("303", "draft")


class SeeWhoOwes(Goal):
    words = "Who has owed me for more than 30 days, and who owes the most?"

    async def prepare(self) -> None:
        days = {"issueDate": "2026-05-05", "dueDate": "2026-06-05", "description": "Trabajo", "taxRate": "21"}
        rows = [
            {"number": f"A-{n}", "clientName": f"Cliente {n}", "base": f"{100 + n},00", **days} for n in range(DEBTORS)
        ]
        await self.owner.post("/api/invoices/import", {"rows": rows})

    async def pursue(self, assistant: Assistant) -> None:
        owed = await assistant.call("get_receivables", view="by_client", overdueDays=30)
        assert owed["items"][0]["client"] == f"Cliente {DEBTORS - 1}"
        assert owed["total"] == DEBTORS
        assert assistant.bytes <= 4_000

    async def judge(self) -> None:
        assert {invoice["status"] for invoice in await self.owner.get("/api/invoices")} == {"overdue"}


class CorrectAnAmount(Goal):
    words = (
        "La factura emitida a Talleres Norte lleva 200 euros de más, sin contar el IVA: corrígela como toca. Confirmo."
    )

    async def prepare(self) -> None:
        self.begun = await self.emitted()

    async def pursue(self, assistant: Assistant) -> None:
        (invoice,) = (await assistant.call("list_invoices", search="norte"))["items"]
        original = await assistant.call("get_invoice", id=invoice["id"])
        line = {"description": "Precio de más", "quantity": 1, "unitPrice": 200, "taxRate": 21}
        named = {"originalFiscalId": original["einvoice"]["fiscalId"], "originalDate": original["issueDate"]}
        await assistant.call("create_credit_note", invoiceId=invoice["id"], reason="R4", items=[line], **named)

    async def judge(self) -> None:
        note = await self.the_only("/api/invoices?docType=credit_note")
        assert (note["subtotal"], note["rectifies"]) == (-200, self.begun["id"])


class PutARejectedRecordRight(Goal):
    words = (
        'Mira si Hacienda ha rechazado algo. Si es por la línea de una factura, llámala solo "Diseño" (1200 más IVA) y '
        "vuelve a tramitarla: sí, confirmo."
    )

    async def prepare(self) -> None:
        self.begun = await self.owner.invoice(items=[item(description="Diseño [sandbox:reject 1100]")])
        await self.owner.request("POST", "/api/einvoice/emit", {"invoiceId": self.begun["id"]})

    async def pursue(self, assistant: Assistant) -> None:
        snapshot = await assistant.call("get_business_context")
        assert self.begun["id"] in to_json(snapshot["fiscalAlerts"]).decode()
        await assistant.call("get_einvoice_status", invoiceId=self.begun["id"])
        line = {"description": "Diseño", "quantity": 1, "unitPrice": 1200}
        await assistant.call("update_invoice", id=self.begun["id"], items=[line])
        await assistant.call("emit_einvoice", invoiceId=self.begun["id"])

    async def judge(self) -> None:
        invoice = await self.the_only("/api/invoices")
        assert invoice["items"][0]["description"] == "Diseño"
        assert (await self.owner.get(f"/api/einvoice/status/{self.begun['id']}"))["status"] == "accepted"


class KeepTheTill(Goal):
    words = (
        "Abre la caja con 80. Venta de 15 en efectivo, otra de 22 con tarjeta, y una devolución de 15 en efectivo. "
        "Cuento 80: cierra, confirmo."
    )

    async def pursue(self, assistant: Assistant) -> None:
        till = await assistant.call("open_cash_register", openingAmount=80)
        for amount, method in ((15, "cash"), (22, "card")):
            sale = {"type": "sale", "amount": amount, "paymentMethod": method, "description": "Puesto"}
            await assistant.call("add_cash_movement", id=till["id"], **sale)
        refund = {"type": "refund", "amount": 15, "paymentMethod": "cash", "description": "Puesto"}
        problem = await assistant.refused("add_cash_movement", id=till["id"], **refund)
        (sold,) = [sale for sale in problem["candidates"] if sale["total"] == 15]
        await assistant.call("add_cash_movement", id=till["id"], **refund, invoiceId=sold["invoiceId"])
        closed = await assistant.call("close_cash_register", id=till["id"], closingAmount=80)
        assert (closed["expectedAmount"], closed["difference"]) == (80, 0)

    async def judge(self) -> None:
        (closed,) = (await self.owner.get("/api/cash-register/history"))["registers"]
        assert closed["difference"] == 0


class CountTheStock(Goal):
    words = "I've counted: 42 of Mezcla de la casa and 9 of Huila. Put that right."

    async def prepare(self) -> None:
        for name, stock in (("Mezcla de la casa", 30), ("Huila", 15)):
            body = {"type": "product", "name": name, "sku": name[:3], "unitPrice": 10, "stock": stock}
            await self.owner.post("/api/catalog", body)

    async def pursue(self, assistant: Assistant) -> None:
        listed = await assistant.call("list_catalog_items")
        ids = {entry["name"]: entry["id"] for entry in listed["items"]}
        counted = [{"itemId": ids["Mezcla de la casa"], "stock": 42}, {"itemId": ids["Huila"], "stock": 9}]
        await assistant.call("adjust_stock", adjustments=counted)

    async def judge(self) -> None:
        stock = {entry["name"]: entry["stock"] for entry in await self.owner.get("/api/catalog")}
        assert stock == {"Mezcla de la casa": 42, "Huila": 9}


class PrepareAndLockAForm(Goal):
    words = (
        "Prepara el 303 del segundo trimestre de 2026, pon 212,40 en la casilla 110, y como ya está presentado, "
        "ciérralo. Confirmo."
    )

    async def pursue(self, assistant: Assistant) -> None:
        form = await assistant.call("generate_tax_declaration", country="ES", year=2026, period="Q2", form="303")
        await assistant.call("update_tax_declaration", id=form["id"], manualOverrides={"110": 212.4})
        await assistant.call("lock_tax_declaration", id=form["id"])

    async def judge(self) -> None:
        (form,) = (await self.owner.get("/api/tax-declarations"))["declarations"]
        assert (form["status"], form["effectiveBoxes"]["110"]) == ("submitted", 212.4)


class MakeTwoClientsOne(Goal):
    words = (
        "Club Deusto está dos veces. Júntalos, quédate con el de Bilbao y ponle el correo "
        "tesoreria@ccdeusto.example; confirmo. ¿Cuánto nos debe en total?"
    )

    async def prepare(self) -> None:
        for city in ("Bilbao", "Getxo"):
            named = {"name": "Club Deusto", "taxId": "G48123459", "country": "ES", "city": city}
            client = {**named, "email": "club@ccdeusto.example"}
            client_id = (await self.owner.post("/api/clients", client))["id"]
            draft = await self.owner.post("/api/invoices", {"clientId": client_id, "items": [item()], "taxRate": 21})
            await self.owner.patch(f"/api/invoices/{draft['id']}/send")

    async def pursue(self, assistant: Assistant) -> None:
        listed = await assistant.call("list_clients", search="club deusto")
        remaining, duplicate = sorted(listed["items"], key=lambda client: client["city"])
        await assistant.call("merge_records", type="client", keepId=remaining["id"], duplicateId=duplicate["id"])
        await assistant.call("save_client", id=remaining["id"], email="tesoreria@ccdeusto.example")
        owed = await assistant.call("get_receivables", view="by_client")
        assert owed["items"][0]["owed"] == 2 * 1452

    async def judge(self) -> None:
        client = await self.the_only("/api/clients")
        merged = (client["city"], client["email"], client["invoiceCount"])
        assert merged == ("Bilbao", "tesoreria@ccdeusto.example", 2)


class LetAColleagueRead(Goal):
    words = "Elena, elena@taller.example, should see our books but change nothing: yes, invite her. Who is invited now?"

    async def pursue(self, assistant: Assistant) -> None:
        await assistant.call("invite_member", email="elena@taller.example", role="viewer")
        team = await assistant.call("get_team")
        assert [invited["email"] for invited in team["pendingInvitations"]] == ["elena@taller.example"]

    async def judge(self) -> None:
        invited = await self.the_only("/api/teams/current/invitations")
        assert (invited["email"], invited["role"]) == ("elena@taller.example", "viewer")


class ImportProducts(Goal):
    rows = (
        *({"type": "product", "name": f"Pieza {n}", "sku": f"P{n}", "unitPrice": 5} for n in range(PRODUCTS - 1)),
        {"type": "product", "name": f"Pieza {PRODUCTS - 1}", "sku": f"P{PRODUCTS - 1}", "unitPrice": "cinco"},
    )
    words = (
        "Import these products (SKU, price); where a price is not a number it is 5. The name is Pieza and the number "
        "of the SKU: " + "; ".join(f"{row['sku']} {row['unitPrice']}" for row in rows)
    )

    async def pursue(self, assistant: Assistant) -> None:
        report = await assistant.call("import_catalog", rows=list(self.rows))
        assert (report["imported"], len(report["errors"])) == (PRODUCTS - 1, 1)
        await assistant.call("import_catalog", rows=[{**self.rows[-1], "unitPrice": 5}])

    async def judge(self) -> None:
        listed = [await self.owner.get(f"/api/catalog?limit=100&page={page}") for page in (1, 2, 3)]
        prices = [entry["unitPrice"] for page in listed for entry in page]
        assert prices == [5] * PRODUCTS


class TakeADraftBack(Goal):
    words = (
        "Haz un borrador de 300 euros más IVA por diseño a Nube... no, perdona, era para Lola: si ya está, deshazlo y "
        "hazlo bien. ¿Qué se ha tocado hoy de Nube?"
    )

    async def prepare(self) -> None:
        for name in ("Nube", "Lola"):
            await self.owner.post("/api/clients", {"name": name, "country": "ES"})

    async def pursue(self, assistant: Assistant) -> None:
        line = {"description": "Diseño", "quantity": 1, "unitPrice": 300}
        await assistant.call("create_invoice", client={"name": "Nube"}, items=[line], taxRate=21)
        await assistant.call("undo")
        await assistant.call("create_invoice", client={"name": "Lola"}, items=[line], taxRate=21)
        history = await assistant.call("get_history", search="Nube")
        assert {"created", "deleted"} <= {entry["action"] for entry in history["items"]}

    async def judge(self) -> None:
        draft = await self.the_only("/api/invoices")
        assert (draft["client"]["name"], draft["status"], draft["total"]) == ("Lola", "draft", 363)


GOALS: tuple[type[Goal], ...] = (
    BeginACompany,
    DraftForOneOfTwo,
    EmitAndMail,
    RecordABill,
    SeeTheVat,
    SeeWhoOwes,
    CorrectAnAmount,
    PutARejectedRecordRight,
    KeepTheTill,
    CountTheStock,
    PrepareAndLockAForm,
    MakeTwoClientsOne,
    LetAColleagueRead,
    ImportProducts,
    TakeADraftBack,
)
