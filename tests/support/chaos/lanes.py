"""Issuers at work: each goes through the steps of a record's life, and remembers every acknowledgement."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any

from support.api import ADDRESS, invoice_body, item
from support.chaos.faults import Step
from support.chaos.world import Asked, Caller
from support.office import eventually, nif

OPEN = {"pending", "unknown"}
TAKEN = {"accepted", "accepted_with_errors"}
_REFUSED = 422
_ROUTES = {
    Step.ISSUE: "/api/einvoice/emit",
    Step.ANNULMENT: "/api/einvoice/annul",
    Step.CREDIT_NOTE: "/api/einvoice/credit-note",
}


@dataclass(frozen=True, kw_only=True)
class Told:
    """An acknowledgement of the server: an invoice's number, and the kind and time of its record."""

    invoice_id: str
    number: str
    step: Step
    fingerprint: str | None


@dataclass
class Lane:
    """One issuer. `told` is what was acknowledged; `bases` are its invoices that may be corrected or struck out."""

    caller: Caller
    nif: str
    dice: Random
    told: list[Told] = field(default_factory=list)
    bases: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)

    async def issue(self, description: str = "Identidad visual") -> str:
        body = invoice_body(items=[item(description=description, unitPrice=self.dice.randint(1, 90_000) / 100)])
        invoice = (await self._done(await self.caller.post("/api/invoices", body, once=True)))["id"]
        await self._emit(invoice, Step.ISSUE)
        return str(invoice)

    async def correct(self, base: str, description: str | None = None) -> None:
        """Tell anew what the authority holds, with another regime that the paper does not show.

        What it has refused may get another `description` instead.
        """
        stored = await self.caller.get(f"/api/invoices/{base}")
        changed = [
            {**one, "description": description}
            if description
            else {**one, "regimeKey": "11" if one["regimeKey"] != "11" else "01"}
            for one in stored["items"]
        ]
        answer = await self.caller.put(f"/api/invoices/{base}", {"items": changed})
        if not self._refused(answer, "INVOICE_LOCKED"):
            await self._done(answer)
            await self._emit(base, Step.CORRECTION, correct=True)

    async def annul(self, base: str) -> None:
        standing = await self.caller.get(f"/api/einvoice/status/{base}")
        wanted = {"fiscalId": standing["fiscalId"], "reason": "Emitida por error"}
        answer = await self.caller.post(_ROUTES[Step.ANNULMENT], wanted)
        if not self._refused(answer, "NOT_ANNULLABLE"):
            result = await self._done(answer)
            self._note(base, result["number"], Step.ANNULMENT, None)

    async def give_back(self, base: str) -> None:
        standing = await self.caller.get(f"/api/einvoice/status/{base}")
        wanted = {
            "invoiceId": base,
            "originalFiscalId": standing["fiscalId"],
            "originalDate": (await self.caller.get(f"/api/invoices/{base}"))["issueDate"],
        }
        answer = await self.caller.post(_ROUTES[Step.CREDIT_NOTE], wanted)
        if not self._refused(answer, "VALIDATION_ERROR"):
            result = await self._done(answer)
            self._note(result["invoiceId"], result["number"], Step.CREDIT_NOTE, result["hash"])

    async def live(self, step: Step, base: str) -> None:
        """Do one step: with an invoice that the authority holds, if it takes one."""
        match step:
            case Step.ISSUE:
                self.bases.append(await self.issue())
            case Step.CORRECTION:
                await self.correct(base)
            case Step.ANNULMENT:
                await self.annul(base)
            case Step.CREDIT_NOTE:
                await self.give_back(base)

    async def founded(self) -> None:
        """Two invoices that later steps can take up."""
        for _ in range(2):
            self.bases.append(await self.issue())

    async def base(self, is_over: Callable[[], bool]) -> str | None:
        """An invoice that the authority has taken, and that no later step will use again; None when it is too late."""
        while not is_over():
            for one in tuple(self.bases):
                status = (await self.caller.get(f"/api/einvoice/status/{one}"))["status"]
                if status not in OPEN:
                    self.bases.remove(one)
                if status in TAKEN:
                    return one
            if not self.bases:
                self.bases.append(await self.issue())
            await asyncio.sleep(0.2)
        return None

    async def settled(self, seconds: float) -> None:
        """Returns when no record waits for an answer any more. Raises TimeoutError when one does for ever."""

        for invoice in await self.caller.every("/api/invoices"):
            if invoice["number"]:
                await eventually(partial(self._answered, invoice["id"]), seconds, pause=0.5)

    async def _answered(self, invoice: str) -> bool:
        return (await self.caller.get(f"/api/einvoice/status/{invoice}"))["status"] not in OPEN

    async def _emit(self, invoice: str, step: Step, **more: Any) -> None:
        answer = await self.caller.post(_ROUTES[Step.ISSUE], {"invoiceId": invoice, **more})
        if self._refused(answer, "NOT_CORRECTABLE"):
            return
        result = answer.json()["result"] if answer.status_code == _REFUSED else await self._done(answer)
        self._note(invoice, result["number"], step, result["hash"])

    def _note(self, invoice: str, number: str, step: Step, fingerprint: str | None) -> None:
        self.told.append(Told(invoice_id=invoice, number=number, step=step, fingerprint=fingerprint))

    def _refused(self, answer: Any, code: str) -> bool:
        """Return True when a request was refused because an earlier attempt, whose answer was lost, succeeded."""
        if answer.status_code == 400 and answer.json()["code"] == code:
            self.refusals.append(answer.json()["detail"])
            return True
        return False

    async def _done(self, answer: Any) -> Any:
        assert answer.is_success, f"{answer.request.method} {answer.request.url}: {answer.status_code} {answer.text}"
        return answer.json()


def life(description: Any) -> list[Step]:
    """The steps that a server offers, by its OpenAPI description."""
    emit = description["components"]["schemas"]["EmitInput"]["properties"]
    offered = [step for step, path in _ROUTES.items() if path in description["paths"]]
    return [*offered, Step.CORRECTION] if "correct" in emit else offered


async def lanes(world: Asked, number: int, dice: Random) -> Sequence[Lane]:
    """Teams of one user, each an issuer of its own."""
    who = {"email": f"user{dice.getrandbits(64)}@example.com", "password": "a long enough secret"}
    registered = (await world.request("POST", "/auth/register", json=who)).json()
    headers = {"Authorization": f"Bearer {registered['token']}"}
    lanes_of_issuers = []
    for index in range(number):
        tax_id = nif(50_000_001 + index)
        body = {"name": f"Taller {index}", "country": "ES", "taxId": tax_id, **ADDRESS}
        team = await world.request("POST", "/api/teams", json=body, headers=headers)
        assert team.is_success, team.text
        lane_dice = Random(dice.getrandbits(64))
        lanes_of_issuers.append(
            Lane(Caller(world, headers | {"X-Team-Id": team.json()["id"]}, lane_dice), tax_id, lane_dice)
        )
    return lanes_of_issuers
