"""Updates that a messenger brings to its address: kept like those that are fetched."""

from ledgerkit.core.messaging.delivery import inbox
from ledgerkit.core.messaging.delivery.inbox import Arrival
from ledgerkit.core.messaging.messengers.bots import Bots
from ledgerkit.core.messaging.texts import MessagingMsg
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.problems import Unavailable

WEBHOOKS = "/messaging"
"""Path under which updates are brought."""


@operation(Permission.PUBLIC, unit=Unit.OWN)
async def receive(ctx: Context, messenger: str, body: bytes) -> None:
    """Store an update that a messenger brings to its address; what is no update is left out.

    Its route has checked that the messenger brings it. Raises Unavailable, so that it is brought again.
    """
    bots = ctx.kernel.service(Bots)
    receiver = bots.receivers[messenger]
    brought = receiver.received(body)
    event = None if brought is None else bots.messengers[messenger].read(brought[1])
    if brought is None or event is None:
        return
    if not await inbox.keep(ctx.kernel, messenger, Arrival(brought[0], event.chat, brought[1])):
        raise Unavailable(MessagingMsg.NOT_SERVED_YET)
