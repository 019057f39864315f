"""/messaging/{messenger}/{path}: the address to which a messenger brings its updates, where one is set."""

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response

from ledgerkit.core.messaging.delivery import webhooks
from ledgerkit.core.messaging.delivery.webhooks import WEBHOOKS
from ledgerkit.core.messaging.messengers.bots import Bots
from ledgerkit.problems import NotFound
from ledgerkit.routers.deps import Anonymous
from ledgerkit.routers.messages import RoutersMsg
from ledgerkit.routers.routing import ORDINARY, GuardedRoute, Router


class ProvedRoute(GuardedRoute):
    """Route that looks at the messenger's proof before anything of the body is read."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def proved(request: Request) -> Response:
            bots: Bots = request.app.state.kernel.service(Bots)
            place = request.path_params
            if bots.genuine(place["messenger"], place["path"], request.headers) is None:
                raise NotFound(RoutersMsg.PATH_UNKNOWN, path=request.url.path)
            return await handle(request)

        return proved


router = Router(prefix=WEBHOOKS, include_in_schema=False, route_class=ProvedRoute)


@router.post("/{messenger}/{path}", operation=webhooks.receive, max_body_size=ORDINARY)
async def receive_update(ctx: Anonymous, request: Request, messenger: str) -> Response:
    """Take over an update. The answer is empty: the bot's messages are sent by calls."""
    await webhooks.receive(ctx, messenger, await request.body())
    return Response(status_code=200)
