"""Nobody sees, names or changes another account's records: every e-invoice operation, every place for a name in it.

Apart from the other rows' sweep (test_isolation), because these need records that were really sealed, kept and sent.
"""

import io
import json
import re
import zipfile
from collections.abc import AsyncIterator, Mapping
from typing import Any
from uuid import uuid4

import pytest

from ledgerkit.core.operation.installation.database.all_tables import metadata
from support.api import Api
from support.credentials import encoded, person
from support.description import described, operations
from support.isolation import everybody, told
from support.office import Office, emit
from support.scenes import ASKS, address, prepared
from support.scenes.ask import Ask, Of, filled, named_in
from support.signed_mode import signed_mode_office

GROUP = [row for row in operations() if row.partition(" ")[2].startswith("/api/einvoice")]

NAMING = {
    "POST /api/einvoice/emit": Ask(body={"invoiceId": Of("draft")}),
    "POST /api/einvoice": Ask(body={"invoiceId": Of("draft")}),
    "POST /api/einvoice/annul": Ask(body={"fiscalId": Of("fiscal id"), "reason": "Duplicada"}),
    "POST /api/einvoice/credit-note": Ask(
        body={"invoiceId": Of("invoice"), "originalFiscalId": Of("fiscal id"), "originalDate": Of("day")}
    ),
    "GET /api/einvoice/status/{id}": Ask("invoice"),
    "GET /api/einvoice/download/{id}": Ask("invoice", query={"fiscalId": Of("fiscal id")}),
    "GET /api/einvoice/xml/{id}": Ask("invoice", query={"fiscalId": Of("fiscal id"), "record": Of("record")}),
    "POST /api/einvoice/send-email/{id}": Ask("invoice", {"email": "asesoria@example.com"}),
    "GET /api/einvoice/chain": Ask(query={"verify": "true", "installation": Of("installation")}),
    "GET /api/einvoice/events/xml": Ask(query={"position": 1, "installation": Of("installation")}),
}
"""The operations in which a caller names what an account owns: where, and what."""

PLACES = [
    (row, name)
    for row, ask in NAMING.items()
    for name in dict.fromkeys([ask.of, *named_in([ask.body, ask.query])])
    if name not in {None, "day"}
]

NO_NAMES = {
    *(
        "correct",
        "message",
        "subject",
        "renumber",
        "replace",
        "pos",
        "receiverType",
        "paymentType",
        "saleType",
        "receiverDv",
        "receiverEmail",
        "receiverLocation",
    ),
    *("receiverRucType", "reason", "originalDate", "method", "items", "email", "verify", "from", "to", "mode"),
    *("lastNumber", "lastIssueDate", "lastFingerprint", "lastGeneratedAt", "reported", "page", "limit", "position"),
    *("file", "password", "kind", "represents", "version", "format", "X-Team-Id", "status", "needsAction"),
}
"""Fields that name nothing that an account owns. A new field of the group belongs here or into NAMING."""

MISSING = {"GET /api/einvoice/chain": {200}}
"""Operations that answer 200 without records: there are chains to show, and nothing to check."""

ALREADY = {"POST /api/einvoice/chain/continue": 400}
"""Operations refused to a caller who has records already."""

SHORTEST = 9
"""Characters of what is told from words that everybody's records have: a tax identifier has so many."""


@pytest.fixture(scope="module")
async def office(postgres, tmp_path_factory, cheap_passwords) -> AsyncIterator[Office]:
    """One whose operator lets issuers choose, so that there are events too."""
    async with signed_mode_office(postgres, tmp_path_factory.mktemp("two"), cheap_passwords) as office:
        yield office


@pytest.fixture(scope="module")
async def ana(office):
    return await moved_in(await office.account("Ana Ruiz"))


@pytest.fixture(scope="module")
async def berta(office):
    return await moved_in(await office.account("Berta Gil"))


async def moved_in(api: Api) -> Api:
    """With everything that an account can own here: kept records and events, sent ones, a certificate, an annulment."""
    own = person(api.team["taxId"], kind="rsa", given=api.email.partition("@")[0].upper())
    await api.put("/api/einvoice/certificate", {"file": encoded(own.pem())})
    await api.put("/api/einvoice/mode", {"mode": "no_verifactu"})
    kept = await emit(api, await api.invoice())
    await api.put("/api/einvoice/mode", {"mode": "verifactu"})
    annulled = await emit(api, await api.invoice())
    await api.post("/api/einvoice/annul", {"fiscalId": annulled["fiscalId"], "reason": "Duplicada"})
    assert kept["status"] == "kept"
    return api


async def belongings(api: Api) -> dict[str, str]:
    """New ones of each kind that a request can name."""
    made = await emit(api, await api.invoice())
    status = await api.get(f"/api/einvoice/status/{made['invoiceId']}")
    events = await api.get("/api/einvoice/events")
    return {
        "draft": (await api.invoice())["id"],
        "invoice": made["invoiceId"],
        "fiscal id": made["fiscalId"],
        "day": made["fiscalId"].rpartition(":")[2],
        "record": status["history"][0]["record"],
        "installation": events[0]["installationNumber"],
    }


def nobodys(name: str, known: str) -> str:
    """A name of the same form that nobody has."""
    if name == "fiscal id":
        issuer, _, day = known.split(":")
        return f"{issuer}:F2026-9999:{day}"
    return uuid4().hex if name == "installation" else str(uuid4())


async def asked(caller: Api, ask: Ask, row: str, ids: Mapping[str, str]) -> Any:
    method, path = address(row, await prepared(caller, ask, ids), ask)
    return await caller.request(method, path, filled(ask.body, ids))


def test_every_place_for_a_name_is_swept():
    """Parameters and fields, as the description has them: each is one of NAMING's, or names nothing."""
    for row in GROUP:
        ask = NAMING.get(row, Ask())
        named = {"id"} if ask.of else set()
        named |= {field for field, value in {**(ask.body or {}), **(ask.query or {})}.items() if isinstance(value, Of)}
        assert fields(row) - NO_NAMES == named - NO_NAMES, row


def fields(row: str) -> set[str]:
    operation = operations()[row]
    found = {one["name"] for one in operation.get("parameters", ()) if one["in"] != "header"}
    for media in operation.get("requestBody", {}).get("content", {}).values():
        name = media["schema"]["$ref"].rpartition("/")[2]
        found |= described()["components"]["schemas"][name]["properties"].keys()
    return found


@pytest.mark.parametrize(("row", "name"), PLACES)
async def test_what_is_somebody_elses_is_missing(ana, berta, row, name):
    theirs, own = await belongings(ana), await belongings(berta)
    unknown = nobodys(name, theirs[name])
    ask = NAMING[row]

    for caller in await everybody(berta):
        foreign = await asked(caller, ask, row, {**own, name: theirs[name]})
        absent = await asked(caller, ask, row, {**own, name: unknown})

        assert foreign.status_code in MISSING.get(row, {400, 404}), foreign.text
        assert told(foreign, theirs[name]) == told(absent, unknown)

    assert (await asked(berta, ask, row, own)).is_success


async def test_no_answer_holds_anything_of_others(office, ana, berta):
    hers = await marks(office, ana) - await marks(office, berta)
    assert len(hers) > 50

    for row in GROUP:
        answer = await asked(berta, NAMING.get(row) or ASKS[row], row, await belongings(berta))

        assert answer.is_success or answer.status_code == ALREADY.get(row), (row, answer.text)
        said = contents(answer)
        assert [mark for mark in hers if mark in said] == [], row


async def test_nothing_that_one_does_changes_anything_of_others(office, ana, berta):
    theirs, own = await belongings(ana), await belongings(berta)
    before = await stored(office, ana)

    for row in GROUP:
        for ids in (theirs, own):
            await asked(berta, NAMING.get(row) or ASKS[row], row, ids)

    assert await stored(office, ana) == before


def contents(answer: Any) -> str:
    """All that an answer says, of a ZIP every file."""
    if not answer.content.startswith(b"PK"):
        return str(answer.content.decode("latin-1"))
    with zipfile.ZipFile(io.BytesIO(answer.content)) as files:
        return "\n".join(name + files.read(name).decode("latin-1") for name in files.namelist())


async def stored(office: Office, api: Api) -> dict[str, list[str]]:
    """Every row of an account, by table; but for when the sender looks at its chain again."""
    own = [name for name, table in metadata.tables.items() if "account_id" in table.c]
    found = {}
    for name in sorted(own):
        rows = await office.rows(
            f"select (to_jsonb(t) - 'watch_at')::text from {name} t where account_id = :account",  # noqa: S608 - our own table names
            account=api.team["id"],
        )
        found[name] = sorted(row[0] for row in rows)
    return found


async def marks(office: Office, api: Api) -> set[str]:
    """Every text that is stored of an account, and its identifiers in both forms; moments are nobody's own."""
    texts = {text for rows in (await stored(office, api)).values() for row in rows for text in leaves(json.loads(row))}
    return {form for text in texts if is_telling(text) for form in (text, text.replace("-", ""))}


def is_telling(text: str) -> bool:
    return len(text) >= SHORTEST and not re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+(Z|[+]00:00)", text)


def leaves(value: Any) -> list[str]:
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return [text for one in inner for text in leaves(one)]
    return [value] if isinstance(value, str) else []
