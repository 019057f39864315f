"""Books of an account by hypothesis: sales and purchases of every kind, and the ways in which they end."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from support.api import Api, item
from support.office import Office

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
DAYS = st.dates(date(2026, 6, 20), date(2026, 11, 20)).map(str)
CENTS = st.integers(1, 500_000).map(lambda cents: cents / 100)
RATES = st.sampled_from([21, 10, 4, 0])
SHARES = st.sampled_from([100, 100, 50, 33.333, 0])

EXCHANGED = st.sampled_from([{}, {}, {"currency": "USD"}, {"currency": "USD", "exchangeRate": 0.91737}])
"""Currency of a document; in another one it counts by its exchange rate, and without one nowhere."""

LINES = st.lists(
    st.builds(lambda price, rate: item(unitPrice=price, taxRate=rate), CENTS, RATES), min_size=1, max_size=4
)
INVOICES = st.builds(
    lambda one, exchanged: one | exchanged,
    st.fixed_dictionaries(
        {"items": LINES, "retentionRate": st.sampled_from([0, 7, 15])}, optional={"operationDate": DAYS}
    ),
    EXCHANGED,
)
PLAIN_ENDS = ["draft", "open", "part", "paid", "credited", "voided", "restored"]
CORRECTED = ["given back in part", "given back in two", "put right", "put right, then given back"]
ENDS = st.sampled_from([*PLAIN_ENDS, *CORRECTED, "exchanged"])
EXPENSES = st.fixed_dictionaries(
    {
        "amount": CENTS,
        "date": DAYS,
        "taxRate": RATES,
        "deductiblePercent": SHARES,
        "retentionRate": st.sampled_from([0, 15, 19]),
        "category": st.sampled_from(["office", "rent"]),
    },
    optional={
        "reverseCharge": st.booleans(),
        "intraEu": st.sampled_from(["goods", "services"]),
        "deductible": st.booleans(),
        "status": st.just("pending"),
        "receptionDate": st.just("2026-11-20"),
    },
).map(lambda one: {"description": "Compra", **one})

SUPPLIED = st.builds(
    lambda one, exchanged: one | exchanged,
    st.fixed_dictionaries(
        {
            "items": LINES,
            "invoiceDate": DAYS,
            "deductiblePercent": SHARES,
            "retentionRate": st.sampled_from([0, 15]),
        },
        optional={
            "reverseCharge": st.booleans(),
            "intraEu": st.sampled_from(["goods", "services"]),
            "category": st.just("rent"),
            "deductionDate": st.just("2026-11-20"),
        },
    ),
    EXCHANGED,
)
DEALS = st.sampled_from(["open", "part", "paid", "cancelled"])

TRADED = st.tuples(
    st.lists(st.tuples(INVOICES, ENDS, DAYS), max_size=5),
    st.lists(EXPENSES, max_size=4),
    st.lists(st.tuples(SUPPLIED, DEALS), max_size=4),
)


def exact(value: float) -> Decimal:
    return Decimal(str(value))


class Books:
    """Sales and purchases of an account, entered as a person would enter them.

    `reported`: its e-invoicing is on, so that what cannot be reported gets no number, and nothing is voided. Where it
    is off nothing is emitted, and so nothing is corrected or exchanged by the server.
    """

    def __init__(self, api: Api, *, reported: bool) -> None:
        self.api, self.reported = api, reported

    async def sell(self, day: str, fields: dict[str, Any], end: str) -> None:
        if self.reported:
            end = "restored" if end == "voided" else end
            exchanged = ("currency", "exchangeRate") if "exchangeRate" in fields else ()
            fields = {name: fields[name] for name in ("items", "retentionRate", *exchanged)}
        elif end not in PLAIN_ENDS:
            end = "credited"
        if end not in PLAIN_ENDS:
            plain = {name: value for name, value in fields.items() if name != "operationDate"}
            await (self._exchange(day, plain) if end == "exchanged" else self._correct(day, plain, end))
            return
        made = await self.api.invoice(issueDate=day, **fields)
        path = f"/api/invoices/{made['id']}"
        if end == "draft":
            return
        await self.api.patch(f"{path}/pay", {"amount": 0.01, "paidAt": day} if made["total"] > 0.01 else None)
        if end in {"part", "paid"} and made["total"] > 0.02:
            await self.api.patch(f"{path}/pay", {"amount": 0.01, "paidAt": "2026-11-20"})
        if end == "paid":
            await self.api.patch(f"{path}/pay", {"paidAt": "2026-11-20"})
        if end == "credited":
            await self._credit(made)
        if end in {"voided", "restored"}:
            await self.api.delete(path)
        if end == "restored":
            await self.api.post(f"{path}/restore")

    async def _correct(self, day: str, fields: dict[str, Any], end: str) -> None:
        """By the credit notes that the server makes: of half a line, of all that is left, of other prices."""
        made = await self._emitted(issueDate=day, **fields)
        half = [{**made["items"][0], "unitPrice": max(0.01, round(made["items"][0]["unitPrice"] / 2, 2))}]
        right = [{**line, "unitPrice": 2.35} for line in made["items"]]
        if end.startswith("given"):
            await self._note(made, items=half)
        else:
            await self._note(made, method="substitution", items=right)
        if end in {"given back in two", "put right, then given back"}:
            await self._note(made)

    async def _note(self, made: dict[str, Any], **wish: Any) -> None:
        named = {"originalFiscalId": made["einvoice"]["fiscalId"], "originalDate": made["issueDate"]}
        asked = {"invoiceId": made["id"], **named, **wish}
        answer = await self.api.request("POST", "/api/einvoice/credit-note", asked)
        nothing_left = answer.status_code == 400 and "nothing is left" in answer.text
        assert answer.status_code == 200 or nothing_left, answer.text

    async def _exchange(self, day: str, fields: dict[str, Any]) -> None:
        lines = [{**line, "unitPrice": round(line["unitPrice"] / 10, 2) or 0.01} for line in fields["items"]]
        fields = {**fields, "issueDate": day, "retentionRate": 0}
        ticket = await self._emitted(**fields | {"docType": "simplified", "client": None, "items": lines})
        await self._emitted(**fields | {"items": None, "substitutes": [ticket["id"]]})

    async def _emitted(self, **fields: Any) -> dict[str, Any]:
        made = await self.api.invoice(**fields)
        await self.api.post("/api/einvoice/emit", {"invoiceId": made["id"]})
        found: dict[str, Any] = await self.api.get(f"/api/invoices/{made['id']}")
        return found

    async def _credit(self, made: dict[str, Any]) -> None:
        lines = [{**line, "unitPrice": -line["unitPrice"]} for line in made["items"]]
        same = {name: made[name] for name in ("currency", "retentionRate")}
        note = await self.api.invoice(docType="credit_note", rectifies=made["id"], items=lines, **same)
        await self.api.patch(f"/api/invoices/{note['id']}/pay")

    async def owe(self, fields: dict[str, Any], end: str) -> None:
        known = await self.api.get("/api/vendors")
        vendor = known[0] if known else await self.api.post("/api/vendors", {"name": "Papelera, S.A."})
        made = await self.api.post("/api/supplier-invoices", {"vendorId": vendor["id"], **fields})
        path = f"/api/supplier-invoices/{made['id']}"
        if end == "cancelled":
            await self.api.put(f"{path}/cancel", {})
        elif end != "open":
            amount = made["total"] if end == "paid" else 0.01
            paid = {"amount": amount, "paymentMethod": "cash", "paymentDate": "2026-11-20"}
            await self.api.post(f"{path}/payments", paid)


async def filled(office: Office, traded: Any, *, reported: bool) -> Books:
    """The books of a new account with everything in `TRADED`'s form entered."""
    sales, expenses, supplied = traded
    owner = await office.account()
    if not reported:
        await owner.put("/api/teams/current", {"einvoicing": "off"})
    books = Books(Api(owner.client, {"x-api-key": owner.team["apiKey"]}, team=owner.team), reported=reported)
    days = sorted(day for _, _, day in sales)  # as the order of numbers wants it
    for (fields, end, _), day in zip(sales, days, strict=True):
        await books.sell(day, fields, end)
    for one in expenses:
        await books.api.post("/api/expenses", one)
    for fields, end in supplied:
        await books.owe(fields, end)
    return books
