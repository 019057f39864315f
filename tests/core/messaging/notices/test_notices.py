"""Messages of the bot's own accord: at once, once a day, and to those who may read it."""

from datetime import timedelta
from zoneinfo import ZoneInfo

import time_machine

from ledgerkit import clock
from ledgerkit.core.messaging.notices import events
from support.office import eventually


async def _digests(talk) -> list[str]:
    await events.send_digests(talk.office.kernel)
    await talk.settled()
    return [shown.text for shown in talk.chat.shown if shown.text.startswith("Tu día")]


def _at(hour: int):
    """The next day at an hour in Madrid."""
    zone = ZoneInfo("Europe/Madrid")
    day = clock.now().astimezone(zone) + timedelta(days=1)
    return day.replace(hour=hour, minute=5)


async def test_digest_at_its_hour_once_a_day(talk):
    await talk.api.put("/api/messaging/settings", {"digestHour": 9, "digest": True, "quiet": False, "language": None})
    with time_machine.travel(_at(8), tick=True):
        assert await _digests(talk) == []
    with time_machine.travel(_at(9), tick=True):
        (digest,) = await _digests(talk)
        assert digest.endswith("No vence nada. Que tengas un buen día.")
        assert len(await _digests(talk)) == 1
    with time_machine.travel(_at(9) + timedelta(days=1), tick=True):
        assert len(await _digests(talk)) == 2


async def test_no_digest_when_it_is_off_or_quiet(talk):
    for settings in ({"digest": False, "quiet": False}, {"digest": True, "quiet": True}):
        await talk.api.put("/api/messaging/settings", {"digestHour": 9, "language": None, **settings})
        with time_machine.travel(_at(9), tick=True):
            assert await _digests(talk) == []


async def test_digest_names_what_is_due(talk):
    today = clock.today("Europe/Madrid")
    await talk.api.post("/api/tasks", {"title": "Llamar al gestor", "dueDate": (today + timedelta(days=1)).isoformat()})
    await talk.says("resumen a las 9")
    with time_machine.travel(_at(9), tick=True):
        (digest,) = await _digests(talk)
    assert "1 tarea para hoy:\n• Llamar al gestor" in digest


async def test_rejection_is_told_at_once(talk):
    """The authority of the sandbox refuses an invoice; the chat says so, with the way to mend it."""
    clients = await talk.api.get("/api/clients")
    draft = await talk.api.post(
        "/api/invoices",
        {
            "clientId": clients[0]["id"],
            "items": [{"description": "Trabajo [sandbox:reject 1124]", "quantity": 1, "unitPrice": 10}],
        },
    )
    await talk.api.request("POST", "/api/einvoice/emit", {"invoiceId": draft["id"]})

    async def is_told() -> bool:
        return any("ha rechazado" in shown.text for shown in talk.chat.shown)

    await eventually(is_told)
    notice = next(shown for shown in talk.chat.shown if "ha rechazado" in shown.text)
    assert notice.keys[0].url.endswith(f"/invoices/{draft['id']}")
