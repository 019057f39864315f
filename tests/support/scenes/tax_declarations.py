"""Tax declarations, of the tests' own country."""

from uuid import uuid4

from support.api import Api
from support.scenes.ask import FINANCE, READERS_OF_FIGURES, Ask, Failing, Ids, Of

DECLARATIONS = "/api/tax-declarations"
QUARTER = {"country": "VT", "year": 2026, "period": "Q3"}


async def with_a_draft(caller: Api, ids: Ids) -> Ids:
    """The declaration of the scene is a draft, for those who may make one."""
    answer = await caller.request("POST", f"{DECLARATIONS}/generate", {**QUARTER, "period": "Q4"})
    return {**ids, "declaration draft": answer.json()["declaration"]["id"]} if answer.is_success else ids


async def with_one_to_submit(caller: Api, ids: Ids) -> Ids:
    """A draft of a quarter that nothing else submits: the first that is none yet."""
    for year in range(2021, 2026):
        answer = await caller.request("POST", f"{DECLARATIONS}/generate", {**QUARTER, "year": year})
        if answer.is_success:
            return {**ids, "declaration to submit": answer.json()["declaration"]["id"]}
    return ids


async def with_one_to_delete(caller: Api, ids: Ids) -> Ids:
    """A draft that nobody needs."""
    answer = await caller.request("POST", f"{DECLARATIONS}/generate", {**QUARTER, "period": "Q1"})
    return {**ids, "doomed declaration": answer.json()["declaration"]["id"]} if answer.is_success else ids


async def with_a_proposal(caller: Api, ids: Ids) -> Ids:
    """A draft after a filed quarter, to which an expense came too late."""
    purchase = {"description": "Late", "amount": 121, "taxRate": 21, "date": "2020-02-10"}
    await caller.request("POST", "/api/expenses", purchase)
    answer = await caller.request("POST", f"{DECLARATIONS}/generate", {**QUARTER, "year": 2020, "period": "Q2"})
    if not answer.is_success:
        return ids
    draft = answer.json()["declaration"]
    return {**ids, "declaration with a proposal": draft["id"], "proposal": draft["proposals"][0]["id"]}


ASKS: dict[str, Ask] = {
    "GET /api/tax-declarations/supported": Ask(allowed=READERS_OF_FIGURES),
    "GET /api/tax-declarations/calendar": Ask(query={"year": 2026, "country": "VT"}, allowed=READERS_OF_FIGURES),
    "GET /api/tax-declarations/checks": Ask(query={"year": 2026, "country": "ES"}, allowed=READERS_OF_FIGURES),
    "GET /api/tax-declarations/profile": Ask(query={"country": "VT"}, allowed=READERS_OF_FIGURES),
    "GET /api/tax-declarations/books": Ask(query={"year": 2026, "country": "ES"}, allowed=READERS_OF_FIGURES),
    "PUT /api/tax-declarations/profile": Ask(query={"country": "VT"}, body={"exempt": False}, allowed=FINANCE),
    "POST /api/tax-declarations/generate": Ask(body={**QUARTER, "period": "Q2"}, allowed=FINANCE),
    "POST /api/tax-declarations/previous": Ask(
        body={"country": "VT", "year": 2025, "period": "Q4", "boxes": {"30": -50.25}, "declarationType": "C"},
        allowed=FINANCE,
    ),
    "GET /api/tax-declarations": Ask(query={"country": "VT", "year": 2026}, allowed=READERS_OF_FIGURES),
    "GET /api/tax-declarations/{id}": Ask("declaration", allowed=READERS_OF_FIGURES),
    "PATCH /api/tax-declarations/{id}": Ask(
        "declaration draft",
        {"manualOverrides": {"20": 5.25}, "notes": "Con gestor"},
        allowed=FINANCE,
        before=with_a_draft,
    ),
    "DELETE /api/tax-declarations/{id}": Ask("doomed declaration", allowed=FINANCE, before=with_one_to_delete),
    "PATCH /api/tax-declarations/{id}/submit": Ask("declaration to submit", allowed=FINANCE, before=with_one_to_submit),
    "POST /api/tax-declarations/{id}/proposals/accept": Ask(
        "declaration with a proposal", {"proposalId": Of("proposal")}, allowed=FINANCE, before=with_a_proposal
    ),
    "GET /api/tax-declarations/{id}/evidence": Ask("declaration", query={"box": "10"}, allowed=READERS_OF_FIGURES),
    "GET /api/tax-declarations/{id}/file": Ask("declaration draft", allowed=READERS_OF_FIGURES, before=with_a_draft),
    "GET /api/tax-declarations/{id}/pdf": Ask("declaration", allowed=READERS_OF_FIGURES),
}

MISSING = f"{DECLARATIONS}/{uuid4()}"

FAILURES: dict[tuple[str, int], Failing] = {
    ("POST /api/tax-declarations/generate", 400): Failing(
        "POST", f"{DECLARATIONS}/generate", {**QUARTER, "year": 1999}
    ),
    ("POST /api/tax-declarations/previous", 400): Failing("POST", f"{DECLARATIONS}/previous", {}),
    ("PUT /api/tax-declarations/profile", 400): Failing("PUT", f"{DECLARATIONS}/profile?country=VT", {"age": 40}),
    ("GET /api/tax-declarations/{id}", 404): Failing("GET", MISSING),
    ("PATCH /api/tax-declarations/{id}", 400): Failing("PATCH", MISSING, {"manualOverrides": {"10": "many"}}),
    ("PATCH /api/tax-declarations/{id}", 404): Failing("PATCH", MISSING, {"notes": "x"}),
    ("DELETE /api/tax-declarations/{id}", 404): Failing("DELETE", MISSING),
    ("PATCH /api/tax-declarations/{id}/submit", 404): Failing("PATCH", f"{MISSING}/submit"),
    ("POST /api/tax-declarations/{id}/proposals/accept", 400): Failing("POST", f"{MISSING}/proposals/accept", {}),
    ("POST /api/tax-declarations/{id}/proposals/accept", 404): Failing(
        "POST", f"{MISSING}/proposals/accept", {"proposalId": "none"}
    ),
    ("GET /api/tax-declarations/{id}/evidence", 404): Failing("GET", f"{MISSING}/evidence?box=10"),
    ("GET /api/tax-declarations/{id}/file", 404): Failing("GET", f"{MISSING}/file"),
    ("GET /api/tax-declarations/{id}/pdf", 404): Failing("GET", f"{MISSING}/pdf"),
}

FILLS = ("activity", "filed_amount", "tally", "tax_declaration", "tax_declaration_content", "tax_profile")


async def scene(api: Api) -> dict[str, str]:
    await api.put(f"{DECLARATIONS}/profile?country=VT", {"filesLists": False})
    periods = {
        "declaration": QUARTER,
        "declaration draft": {**QUARTER, "period": "Q4"},
        "declaration to submit": {**QUARTER, "year": 2021},
        "doomed declaration": {**QUARTER, "period": "Q1"},
    }
    ids = {name: (await api.post(f"{DECLARATIONS}/generate", of))["declaration"]["id"] for name, of in periods.items()}
    await api.post("/api/expenses", {"description": "Early", "amount": 121, "taxRate": 21, "date": "2020-01-10"})
    first = await api.request("POST", f"{DECLARATIONS}/generate", {**QUARTER, "year": 2020, "period": "Q1"})
    if first.is_success:
        await api.patch(f"{DECLARATIONS}/{first.json()['declaration']['id']}/submit")
    return await with_a_proposal(api, ids)
