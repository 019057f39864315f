"""Checks of the messengers that are set up: the token, the way to them, and how their updates come."""

from contextlib import suppress

from ledgerkit.commands.examining.findings import Finding, advised, good, missing
from ledgerkit.commands.examining.messages import DoctorMsg
from ledgerkit.core.messaging import operations as messaging
from ledgerkit.core.messaging.messengers.bots import Bots
from ledgerkit.core.messaging.messengers.messenger import Messenger, MessengerError, TokenError
from ledgerkit.core.platform.request.context import Kernel
from ledgerkit.problems import Problem
from ledgerkit.settings import Settings

_OTHER_POLLER, _WEBHOOK = "other_poller", "webhook"


async def reached(settings: Settings) -> list[Finding]:
    """Ask each messenger that is set up for its bot, which proves the token."""
    bots = Bots(settings)
    try:
        return [await _asked(bots.title_of(name), messenger) for name, messenger in bots.messengers.items()]
    finally:
        await bots.stop()


async def _asked(title: str, messenger: Messenger) -> Finding:
    try:
        bot = await messenger.identify()
    except TokenError as error:
        return missing(DoctorMsg.MESSENGER_TOKEN, title=title, reason=str(error))
    except MessengerError as error:
        return missing(DoctorMsg.MESSENGER_UNREACHABLE, title=title, reason=str(error))
    return good(DoctorMsg.MESSENGER_GOOD, title=title, bot=bot.name)


async def served(kernel: Kernel) -> list[Finding]:
    """Look at what the running server has noted: who else fetches the updates, or that they are not brought."""
    findings = []
    with suppress(Problem):
        for title, row in await messaging.bots(kernel):
            if row.failure == _OTHER_POLLER:
                findings.append(advised(DoctorMsg.MESSENGER_OTHER_POLLER, title=title, bot=row.name))
            elif row.failure == _WEBHOOK:
                findings.append(missing(DoctorMsg.MESSENGER_WEBHOOK, title=title, reason=row.detail or ""))
    return findings
