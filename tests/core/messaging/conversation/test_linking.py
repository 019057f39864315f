"""Linking: one code, one private chat, one person; everybody else gets one neutral line."""

import re
from datetime import timedelta

import pytest
from sqlalchemy import update

from ledgerkit import clock
from ledgerkit.core.messaging.table import messaging_link_code
from ledgerkit.core.platform.identity.limits.throttle import Throttle
from support.office import eventually
from support.talking import linked

NEUTRAL = "Este bot solo contesta a chats vinculados."


async def _code(api) -> str:
    return (await api.post("/api/messaging/links", {"messenger": "telegram"}))["code"]


async def _line(talk_of, chat, words: str) -> str:
    chat.say(words)
    return (await chat.shows(1)).text


async def test_link_opens_the_chat(talk):
    made = await talk.api.post("/api/messaging/links", {"messenger": "telegram"})
    assert re.fullmatch(r"https://t\.me/\w+\?start=[\w-]{22}", made["url"])
    assert made["url"].endswith(made["code"])
    (link,) = await talk.api.get("/api/messaging/links")
    assert (link["messenger"], link["externalName"], link["lastSeenAt"]) == ("telegram", "Ana Ruiz", None)
    await talk.says("hola")
    (link,) = await talk.api.get("/api/messaging/links")
    assert link["lastSeenAt"] is not None


async def test_code_is_used_once(talk, office_bot):
    code = await _code(talk.api)
    eva = office_bot.chat("Eva Gil", language="es")
    assert "queda vinculado" in await _line(talk, eva, f"/start {code}")
    mallory = office_bot.chat("Mallory", language="en")
    assert (await _line(talk, mallory, f"/start {code}")).startswith("This code is not valid")


async def test_greeting_is_in_the_language_chosen_for_chats(talk, office_bot):
    chosen = {"digestHour": 9, "digest": False, "quiet": False, "language": "en"}
    await talk.api.put("/api/messaging/settings", chosen)
    assert "now linked to" in await _line(
        talk, office_bot.chat("Ana", language="es"), f"/start {await _code(talk.api)}"
    )


async def test_code_ends_after_ten_minutes(talk, office, office_bot):
    code = await _code(talk.api)
    ended = update(messaging_link_code).values(expires_at=clock.now() - timedelta(seconds=1))
    async with office.kernel.database.transaction(None) as db:
        await db.execute(ended.where(messaging_link_code.c.used_at.is_(None)))
    eva = office_bot.chat("Eva Gil", language="es")
    assert (await _line(talk, eva, f"/start {code}")).startswith("Este código no vale")


async def test_code_is_stored_as_its_hash(talk, office):
    code = await _code(talk.api)
    rows = await office.rows("select code_hash from messaging_link_code where used_at is null")
    assert [len(row.code_hash) for row in rows] == [64] * len(rows)
    assert code not in str(rows)


async def test_stranger_gets_one_neutral_line(office_bot, talk):
    for words in ("hola", "/start", "quién me debe", "factura Acme 300"):
        stranger = office_bot.chat("Nadie", language="es")
        assert await _line(talk, stranger, words) == NEUTRAL


async def test_stranger_is_not_answered_for_ever(office, office_bot, monkeypatch):
    """Ten lines an hour, and no code is tried more often either."""
    monkeypatch.setattr(office.kernel.service(Throttle), "_active", True)
    stranger = office_bot.chat("Nadie", language="es")
    for _ in range(15):
        stranger.say("hola")
    await office_bot.confirmed()

    async def is_handled() -> bool:
        waiting = "select 1 from messaging_update where handled_at is null and chat = :chat"
        return not await office.rows(waiting, chat=stranger.id)

    await eventually(is_handled)
    assert [shown.text for shown in stranger.shown] == [NEUTRAL] * 10


async def test_linked_chat_is_not_taken_over(talk, office, office_bot):
    """One telephone is one person's: a second account has to wait until the first is left."""
    other = await office.account("Berta Sanz")
    await other.log_in()
    (answer,) = await talk.says(f"/start {await _code(other)}")
    assert answer.text.startswith("Este chat ya está vinculado a Ana Ruiz")
    assert await other.get("/api/messaging/links") == []


async def test_groups_are_refused(talk, office_bot):
    inside = office_bot.group().member(talk.chat)
    inside.say("/start")
    assert (await inside.shows(1)).text == "Escríbeme en un chat privado: aquí lo leerían otros."
    inside.say("factura Acme 300")
    await talk.settled()
    assert len(inside.shown) == 1
    assert await talk.api.get("/api/approvals") == []


async def test_forwarded_words_are_data(talk):
    (answer,) = await talk.says("factura Acme 300", is_forwarded=True)
    assert answer.text.startswith("No sigo mensajes reenviados")
    assert await talk.api.get("/api/approvals") == []


async def test_blocked_bot_unlinks(talk):
    talk.chat.block()

    async def is_unlinked() -> bool:
        return await talk.api.get("/api/messaging/links") == []

    await eventually(is_unlinked)


async def test_unlinked_over_rest(talk):
    (link,) = await talk.api.get("/api/messaging/links")
    await talk.says("factura Acme 300")
    await talk.api.delete(f"/api/messaging/links/{link['id']}")
    (proposal,) = await talk.api.get("/api/approvals")
    assert proposal["status"] == "rejected"
    (answer,) = await talk.says("quién me debe")
    assert answer.text == NEUTRAL


async def test_person_is_told_by_mail(talk, office):
    async def has_come() -> bool:
        mails = list((office.kernel.settings.data_dir / "mail").glob("**/*.eml"))
        return any(b"chat" in mail.read_bytes().lower() and b"Telegram" in mail.read_bytes() for mail in mails)

    await eventually(has_come)


async def test_key_makes_no_link(talk):
    talk.api.headers = {"X-API-Key": talk.api.api_key}
    problem = await talk.api.refused(401, "POST", "/api/messaging/links", {"messenger": "telegram"})
    assert problem["code"] == "UNAUTHENTICATED"


async def test_unknown_messenger(talk):
    problem = await talk.api.refused(400, "POST", "/api/messaging/links", {"messenger": "carrier pigeon"})
    assert problem["errors"][0]["field"] == "messenger"


async def test_codes_are_few(talk):
    for _ in range(5):
        await _code(talk.api)
    await talk.api.refused(400, "POST", "/api/messaging/links", {"messenger": "telegram"})


@pytest.mark.parametrize("role", ["viewer", "member"])
async def test_role_of_each_moment(talk, office, office_bot, role):
    """A member acts with their role; whoever loses it or leaves does nothing more."""
    eva = await office.account("Eva Gil")
    await talk.api.post("/api/teams/current/invite", {"email": eva.email, "role": "admin"})
    await eva.post(f"/api/teams/switch/{talk.api.team['id']}")
    chat = await linked(office, office_bot, eva, "Eva Gil")
    chat.api.team = talk.api.team
    (card,) = await chat.says("factura Acme 300")
    assert "Total: 363,00 EUR" in card.text

    members = {member["email"]: member["id"] for member in await talk.api.get("/api/teams/current/members")}
    await talk.api.patch(f"/api/teams/current/members/{members[eva.email]}/role", {"role": role})
    if role == "viewer":
        await chat.taps("Crear borrador")
        assert await talk.api.get("/api/invoices") == []

    await talk.api.delete(f"/api/teams/current/members/{members[eva.email]}")
    (answer,) = await chat.says("quién me debe")
    assert answer.text == NEUTRAL
