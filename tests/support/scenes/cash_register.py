"""Cash registers."""

from uuid import uuid4

from support.api import Api
from support.scenes.ask import EVERYBODY, MEMBERS, OPERATIONS, Ask, Failing, Ids, Of

REGISTERS = "/api/cash-register"
LINE = {"catalogItemId": Of("item"), "unitPrice": 10, "taxRate": 21}
SALE = {"type": "sale", "amount": 12.1, "description": "Café"}


async def with_none_open(caller: Api, ids: Ids) -> Ids:
    """The caller's register, if any, is closed."""
    answer = await caller.request("GET", f"{REGISTERS}/current")
    if answer.is_success and answer.json():
        await caller.post(f"{REGISTERS}/{answer.json()['id']}/close", {"closingAmount": 0})
    return ids


async def with_ones_own(caller: Api, ids: Ids) -> Ids:
    """The register of the scene is the caller's own, for those who may have one."""
    await caller.request("POST", REGISTERS, {"openingAmount": 0})
    answer = await caller.request("GET", f"{REGISTERS}/current")
    return {**ids, "till": answer.json()["id"]} if answer.is_success else ids


ASKS: dict[str, Ask] = {
    "POST /api/cash-register": Ask(body={"openingAmount": 100}, allowed=MEMBERS, before=with_none_open),
    "GET /api/cash-register/summary": Ask(query={"to": "2026-12-31"}, allowed=OPERATIONS | {"viewer"}),
    "GET /api/cash-register/current": Ask(allowed=MEMBERS),
    "GET /api/cash-register/open": Ask(allowed=EVERYBODY),
    "GET /api/cash-register/history": Ask(allowed=EVERYBODY),
    "POST /api/cash-register/{id}/movement": Ask(
        "till", SALE | {"invoiceId": Of("issued"), "lineItems": [LINE]}, allowed=MEMBERS, before=with_ones_own
    ),
    "GET /api/cash-register/{id}": Ask("till", allowed=EVERYBODY, before=with_ones_own),
    "POST /api/cash-register/{id}/close": Ask("till", {"closingAmount": 100}, allowed=MEMBERS, before=with_ones_own),
}

FAILURES: dict[tuple[str, int], Failing] = {
    ("POST /api/cash-register", 400): Failing("POST", REGISTERS, {"openingAmount": -0.01}),
    ("POST /api/cash-register/{id}/movement", 400): Failing("POST", f"{REGISTERS}/{uuid4()}/movement", {}),
    ("POST /api/cash-register/{id}/movement", 404): Failing("POST", f"{REGISTERS}/{uuid4()}/movement", SALE),
    ("POST /api/cash-register/{id}/close", 400): Failing("POST", f"{REGISTERS}/{uuid4()}/close", {}),
    ("POST /api/cash-register/{id}/close", 404): Failing("POST", f"{REGISTERS}/{uuid4()}/close", {"closingAmount": 0}),
    ("GET /api/cash-register/{id}", 404): Failing("GET", f"{REGISTERS}/{uuid4()}"),
}

FILLS = ("activity", "cash_movement", "cash_register", "cash_register_counter", "tally")
"""Tables that the scene writes to."""


async def scene(api: Api) -> dict[str, str]:
    closed = await api.post(REGISTERS, {"openingAmount": 50})
    await api.post(f"{REGISTERS}/{closed['id']}/movement", SALE)
    await api.post(f"{REGISTERS}/{closed['id']}/close", {"closingAmount": 62.1})
    till = await api.post(REGISTERS, {"openingAmount": 20})
    return {"till": till["id"]}
