"""docs/es/impuestos.md: a freelancer's year, request after request, compared with what the page says of each answer.

The figures are the page's, which states beside each one how it is computed.
"""

import hashlib
import json
import re
from collections import Counter
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

import pytest

from support.api import Api
from support.declarations import PATH, printed
from support.fixtures import configuration

PAGE = Path(__file__).parents[3] / "docs" / "es" / "impuestos.md"
BLOCK = re.compile(r"```(http|json) impuestos\n(.*?)```", re.DOTALL)
REQUEST = re.compile(r"(?m)^(GET|POST|PUT|PATCH|DELETE) (\S+)(?: → (\w+))?$")


@dataclass
class Reader:
    """Sender of the page's requests; `$name` stands for the id of an answer that was called so."""

    api: Api
    ids: dict[str, str] = field(default_factory=dict)
    answer: Any = None

    async def follow(self, page: str) -> int:
        requests = 0
        for kind, text in BLOCK.findall(page):
            if kind == "json":
                assert differences(json.loads(self._named(text)), self.answer) == []
                continue
            beginnings = [match.start() for match in REQUEST.finditer(text)]
            for first, last in zip(beginnings, [*beginnings[1:], len(text)], strict=True):
                await self._send(text[first:last])
                requests += 1
        return requests

    async def _send(self, text: str) -> None:
        line, _, body = text.partition("\n")
        method, path, name = REQUEST.match(line).groups()
        given = json.loads(self._named(body)) if body.strip() else None
        answer = await self.api.request(method, self._named(path), given)
        assert answer.is_success, f"{text}\n{answer.text}"
        is_json = answer.headers["content-type"].startswith("application/json")
        self.answer = answer.json() if is_json else answer.content
        if name:
            self.ids[name] = self.answer.get("declaration", self.answer)["id"]

    def _named(self, text: str) -> str:
        return re.sub(r"\$(\w+)", lambda match: self.ids[match[1]], text)


def differences(told: Any, answer: Any, where: str = "") -> list[str]:
    """Statements of the page that the answer contradicts.

    Fields that it leaves out may hold anything; a list that ends in "..." may go on.
    """
    if isinstance(told, list) and isinstance(answer, list):
        if told[-1:] == ["..."]:
            told, answer = told[:-1], answer[: len(told) - 1]
        if len(told) == len(answer):
            told, answer = dict(enumerate(told)), dict(enumerate(answer))
    if isinstance(told, dict) and isinstance(answer, dict):
        found = [differences(value, answer.get(key), f"{where}/{key}") for key, value in told.items()]
        return [one for some in found for one in some]
    return [] if told == answer else [f"{where}: {told!r} is told, {answer!r} answered"]


@pytest.fixture
async def filed(accounts, settings, client) -> Api:
    """Ana at the end of the page, when everything of the year is filed."""

    async def followed() -> Api:
        ana = await accounts.registered(client, configuration(settings), "ana@example.com", "Ana Ruiz", "12345678Z")
        assert await Reader(ana).follow(PAGE.read_text())
        return ana

    return await accounts.copied(client, PAGE, followed)


async def test_the_year_of_the_page_gives_what_it_states(filed):
    """Every figure is the page's; this adds that all forms were there."""
    listed = await filed.get(f"{PATH}?year=2025&status=submitted&limit=100")

    counted = Counter(one["form"] for one in listed["declarations"])
    rectified = {"303": 5, "130": 5}
    yearly = dict.fromkeys(("390", "347", "180", "190"), 1)
    assert counted == dict.fromkeys(("111", "115", "349"), 4) | rectified | yearly


async def test_lists_are_printed_in_words(filed):
    listed = await filed.get(f"{PATH}?year=2025&limit=100")
    pages = {}

    for one in listed["declarations"]:
        whole = (await filed.get(f"{PATH}/{one['id']}"))["declaration"]
        names = {name for record in whole["records"] for name in record["fields"]}
        assert names <= set(whole["recordFields"])
        if names:
            page = await printed(filed, one)
            assert not any(f"{name}:" in page for name in names)
            pages[one["form"], one["period"]] = " ".join(page.split())

    assert {form for form, _ in pages} == {"180", "190", "347", "349"}
    assert "347 Ejercicio 2025" in pages["347", "Y"]
    assert "349 1T 2025" in pages["349", "Q1"]
    assert "NIF: B77455129" in pages["347", "Y"]
    assert "Clave: A, adquisiciones · Importe anual: 4.840,00 €" in pages["347", "Y"]
    assert "Inversión del sujeto pasivo: No" in pages["347", "Y"]
    assert "Tipo de retención: 19 %" in pages["180", "Y"]


async def test_every_box_of_documents_has_them_as_evidence_and_every_file_is_frozen(filed):
    listed = await filed.get(f"{PATH}?year=2025&limit=100")

    for one in listed["declarations"]:
        path = f"{PATH}/{one['id']}"
        whole = (await filed.get(path))["declaration"]
        for box in whole["evidence"]:
            documents = await filed.get(f"{path}/evidence?box={box}")
            assert {document["documentId"] for document in documents} == set(whole["evidence"][box])
            told = sum(Decimal(str(document["amount"])) for document in documents)
            followed = Decimal(0) if (one["form"], box) != ("130", "02") else provision(whole["boxes"])
            assert told + followed == Decimal(str(whole["boxes"][box])), (one["form"], one["period"], box)
        file = await filed.request("GET", f"{path}/file")
        assert hashlib.sha256(file.content).hexdigest() == whole["file"]["sha256"]


def provision(boxes: dict[str, float]) -> Decimal:
    """5 % of the net income before it, which no document says (RD 439/2007, art. 30.2.4): 5/95 of that after it."""
    return (Decimal(str(boxes["03"])) * 5 / 95).quantize(Decimal("0.01"), ROUND_HALF_UP)


async def test_what_a_record_lacks_is_completed_in_its_documents_and_its_vendor(ana):
    rent = {"description": "Alquiler", "amount": 1210, "taxRate": 21, "date": "2025-02-01", "vendor": "Inmuebles Sol"}
    retained = {"vendorTaxId": "B29805314", "retentionRate": 19, "retentionKind": "rent"}
    expense = await ana.post("/api/expenses", rent | retained)
    period = {"country": "ES", "form": "180", "year": 2025, "period": "Y"}
    path = f"{PATH}/{(await ana.post(f'{PATH}/generate', period))['declaration']['id']}"

    problem = await ana.refused(400, "GET", f"{path}/file")
    await ana.put("/api/teams/current", {"phone": "+34 910 000 000"})
    await ana.put(f"/api/vendors/{expense['vendorId']}", {"postalCode": "28004"})
    await ana.put(f"/api/expenses/{expense['id']}", {"leasedProperty": "9872023VH5797S0001WX"})
    await ana.post(f"{PATH}/generate", period)
    submitted = await ana.patch(f"{path}/submit")

    remedies = {one["field"]: one["remedy"] for one in problem["errors"]}
    assert remedies.keys() == {"records[0].province", "records[0].propertySituation", "contactPhone"}
    assert "postal code" in remedies["records[0].province"]
    assert "leasedProperty" in remedies["records[0].propertySituation"]
    assert submitted["declaration"]["file"]["name"].startswith("180_2025_0A_")


CHECKS = f"{PATH}/checks?country=ES&year=2025"


async def checks_of(api: Api) -> dict[str, Any]:
    return {one["code"]: one for one in await api.get(CHECKS)}


async def test_a_whole_year_agrees_in_everything(filed):
    checks = await checks_of(filed)

    assert {one["state"] for one in checks.values()} == {"equal"}
    sums = {code: (one["left"]["amount"], one["right"]["amount"]) for code, one in checks.items()}
    assert sums == {
        "303_390_bases": (30400, 30400),
        "303_390_sales_without_vat": (6500, 6500),
        "303_390_vat_due": (6077, 6077),
        "303_390_deductible_vat": (4903.5, 4903.5),
        "303_390_result": (1173.5, 1173.5),
        "349_303_sales": (4000, 4000),
        "349_303_purchases": (700, 700),
        "111_190_paid": (1200, 1200),
        "111_190_withheld": (180, 180),
        "190_payees": (180, 180),
        "115_180_base": (7200, 7200),
        "115_180_withheld": (1368, 1368),
        "130_books_income": (36100, 36100),
        "130_books_costs": (14775.75, 14775.75),
    }


async def test_a_rectified_return_counts_once(filed):
    """The first 303 of the year was rectified: the page files it twice."""
    due = (await checks_of(filed))["303_390_vat_due"]

    periods = [(term["form"], term["period"], term["status"]) for term in due["left"]["terms"]]
    listed = await filed.get(f"{PATH}?year=2025&form=303&status=submitted")

    assert periods == [("303", quarter, "submitted") for quarter in ("Q1", "Q2", "Q3", "Q4")]
    assert len(listed["declarations"]) == 5


async def test_a_bill_after_the_last_instalment_is_seen_in_the_books(filed):
    """Costs of 100 lower the provision by 5 % of them."""
    await filed.post("/api/expenses", {"description": "Papel", "amount": 121, "taxRate": 21, "date": "2025-12-30"})

    costs = (await checks_of(filed))["130_books_costs"]

    assert (costs["state"], costs["left"]["amount"], costs["difference"]) == ("different", 14775.75, -95)
    assert [term["amount"] for term in costs["right"]["terms"]] == [13000, 753.42, 1117.33]


async def test_another_account_sees_nothing_of_them(filed, berta):
    terms = [
        term for one in (await checks_of(berta)).values() for side in ("left", "right") for term in one[side]["terms"]
    ]

    assert terms
    assert {(term["amount"], term["declarationId"]) for term in terms} == {(None, None)}
