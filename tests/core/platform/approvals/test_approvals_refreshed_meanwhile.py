"""A card that another person's attempt shows anew while somebody is approving it: nobody has agreed to the new one.

An act with transactions of its own is rehearsed between the first look at its proposal and the decision. Here it waits
after that rehearsal, on a connection of its own, until the other attempt has been committed on another one.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from ledgerkit.core.platform.approvals.proposals import rehearsal as rehearsals
from support.api import CLIENT
from support.approvals import proposed

IBAN, OTHER_IBAN = "ES9121000418450200051332", "ES7921000813610123456789"
ACTS = {
    "emission": lambda invoice_id: ("POST", "/api/einvoice/emit", {"invoiceId": invoice_id}),
    "mail": lambda invoice_id: ("PATCH", f"/api/invoices/{invoice_id}/send", {"subject": "Noviembre"}),
}


@contextmanager
def first_rehearsal_held() -> Iterator[tuple[asyncio.Event, asyncio.Event]]:
    """The first rehearsal that ends meanwhile says so by the first event, and goes on at the second one."""
    genuine, ended, go_on = rehearsals.rehearse, asyncio.Event(), asyncio.Event()

    async def held(*arguments, **named):
        rehearsal = await genuine(*arguments, **named)
        if not ended.is_set():
            ended.set()
            await go_on.wait()
        return rehearsal

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rehearsals, "rehearse", held)
        yield ended, go_on


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("answered", [(412, "VERSION_MISMATCH"), (409, "APPROVAL_CHANGED")])
async def test_what_was_shown_anew_meanwhile_is_not_done(ana, robot, act, answered):
    """With If-Match the version on the card has changed; without, the version that the attempt began with has."""
    await ana.put("/api/teams/current", {"iban": IBAN})
    items = [{"description": "x", "unitPrice": 10}]
    draft = await ana.post("/api/invoices", {"client": CLIENT, "items": items, "iban": IBAN})
    proposal = await proposed(robot, *ACTS[act](draft["id"]))
    path = f"/api/approvals/{proposal['id']}"
    card = await ana.request("GET", path)
    headers = {"If-Match": card.headers["ETag"]} if answered[0] == 412 else {}

    with first_rehearsal_held() as (ended, go_on):
        attempt = asyncio.create_task(ana.request("POST", f"{path}/approve", None, **headers))
        await asyncio.wait_for(ended.wait(), 60)
        await ana.put("/api/teams/current", {"iban": OTHER_IBAN})
        other = await ana.refused(409, "POST", f"{path}/approve")
        go_on.set()
        answer = await attempt

    assert (other["code"], other["state"]) == ("APPROVAL_CHANGED", "pending")
    assert (answer.status_code, answer.json()["code"]) == answered, answer.text
    assert (await ana.get(f"/api/invoices/{draft['id']}"))["status"] == "draft"
    shown = await ana.request("GET", path)
    assert shown.json()["status"] == "pending"
    assert shown.headers["ETag"] != card.headers["ETag"]
    assert any(IBAN in line and line.startswith("Atención") for line in shown.json()["summary"])

    done = await ana.request("POST", f"{path}/approve", None, **{"If-Match": shown.headers["ETag"]})

    assert done.json()["status"] == "done", done.text
    assert (await ana.get(f"/api/invoices/{draft['id']}"))["number"]
