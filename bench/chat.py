"""A person in a chat with the server's bot, over a fake Bot API: the time from their words or taps to the answer."""

import asyncio
import sys
from time import perf_counter
from typing import Any

import httpx2
from process import HERE, serve_jobs

sys.path.append(str(HERE.parent / "tests"))

from support.botapi import Chat, FakeBot, Shown, bot_api

_PASSWORD = "a long enough secret"
_PLACE = {
    "country": "ES",
    "address": "Calle Mayor 1",
    "postalCode": "33001",
    "city": "Oviedo",
    "province": "Asturias",
}
_TEAM = {"name": "Ana Ruiz", "taxId": "12345678Z", **_PLACE}
_NIF_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"
_CLIENTS = 200
_SENTENCE = "factura a Cliente 150 3 horas a 45 de consultoría y envíasela"
_TAPS = ("Emitir y enviar", "Emitir y enviar")


class Person:
    """One person with their books, who writes and taps, and waits for what is shown."""

    def __init__(self) -> None:
        self._api = bot_api()
        server = self._api.__enter__()
        self._base = server.base
        self._bot: FakeBot = server.bot()
        self._chat: Chat | None = None
        self._key = ""

    async def start(self, _: dict[str, Any]) -> dict[str, Any]:
        return {"base": self._base, "token": self._bot.token}

    async def link(self, job: dict[str, Any]) -> dict[str, Any]:
        """Register, fill the books and link the chat."""
        async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{job['port']}", timeout=60) as http:
            body = {"email": "chat@example.com", "password": _PASSWORD}
            registered = (await http.post("/auth/register", json=body)).raise_for_status().json()
            self._key, login = registered["apiKey"], {"Authorization": f"Bearer {registered['token']}"}
            (await http.post("/api/teams", json=_TEAM, headers=login)).raise_for_status()
            for number in range(_CLIENTS):
                tax_id = f"{30_000_000 + number}{_NIF_LETTERS[(30_000_000 + number) % 23]}"
                client = {"name": f"Cliente {number}", "taxId": tax_id, "email": f"c{number}@example.com", **_PLACE}
                (await http.post("/api/clients", json=client, headers=login)).raise_for_status()
            answer = await http.post("/api/messaging/links", json={"messenger": "telegram"}, headers=login)
            code = answer.raise_for_status().json()["code"]
        self._chat = self._bot.chat("Ana", language="es")
        await self._shown(lambda chat: chat.say(f"/start {code}"), 1)
        return {"key": self._key, "sender": self._chat.sender}

    async def answers(self, job: dict[str, Any]) -> dict[str, Any]:
        """Ask the same again and again."""
        return await self._timed(job["seconds"], lambda: self._shown(lambda chat: chat.say(job["words"]), 1))

    async def accepted(self, job: dict[str, Any]) -> dict[str, Any]:
        """Say a sentence and tap until the PDF of the accepted invoice is there, again and again."""

        async def once() -> None:
            await self._shown(lambda chat: chat.say(_SENTENCE), 1)
            await self._shown(lambda chat: chat.tap(_TAPS[0]), 1)
            last = await self._shown(lambda chat: chat.tap(_TAPS[1]), 1)
            assert last.document is not None, last.text
            assert "Aceptada" in last.text, last.text

        return {**await self._timed(job["seconds"], once), "taps": len(_TAPS)}

    async def _shown(self, act: Any, count: int) -> Shown:
        """Do something in the chat and wait for the messages that come of it."""
        assert self._chat is not None
        before = len(self._chat.shown)
        act(self._chat)
        return await self._chat.shows(before + count, seconds=60)

    async def _timed(self, seconds: float, turn: Any) -> dict[str, Any]:
        took: list[float] = []
        begin = perf_counter()
        while perf_counter() - begin < seconds:
            start = perf_counter()
            await turn()
            took.append(perf_counter() - start)
            await asyncio.sleep(0)
        took_in_order = sorted(1000 * one for one in took)
        return {
            "done": len(took),
            "seconds": sum(took),
            "p50": took_in_order[len(took) // 2],
            "p99": took_in_order[min(len(took) - 1, int(len(took) * 0.99))],
        }


if __name__ == "__main__":
    person = Person()
    serve_jobs({"start": person.start, "link": person.link, "answers": person.answers, "accepted": person.accepted})
