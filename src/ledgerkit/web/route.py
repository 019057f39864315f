"""Route of the web app: the last one, for what no other route is responsible for."""

from collections.abc import Collection, Iterable, Sequence

from fastapi.routing import iter_route_contexts
from starlette.datastructures import URLPath
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match, NoMatchFound
from starlette.types import Receive, Scope, Send

from ledgerkit.web import answers
from ledgerkit.web.dist import ASSETS, Dist


class WebAppRoute(BaseRoute):
    """Files of the web app by their names, and its page for every other path that a person opens.

    Not for paths below those of `routes`, the other routes: what is unknown there is unknown. `path` and `methods` are
    what the route is called by in metrics and in answers.
    """

    path = "/"
    methods = frozenset({"GET"})

    def __init__(self, dist: Dist | None, routes: Sequence[BaseRoute]) -> None:
        self._dist = dist
        self._routes = routes
        self._areas: frozenset[str] | None = None

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if scope["type"] != "http" or not self._is_here(scope):
            return Match.NONE, {}
        return (Match.FULL if scope["method"] == "GET" else Match.PARTIAL), {"route": self}

    def url_path_for(self, name: str, /, **path_params: object) -> URLPath:
        raise NoMatchFound(name, path_params)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "GET":
            raise HTTPException(405)
        response = self._answer(Request(scope))
        await response(scope, receive, send)

    def _is_here(self, scope: Scope) -> bool:
        name = scope["path"].removeprefix("/")
        if not name or (self._dist is not None and name in self._dist.files):
            return True
        return scope["method"] == "GET" and self._is_free(name) and answers.is_for_a_person(Request(scope))

    def _is_free(self, name: str) -> bool:
        if self._areas is None:
            contexts = iter_route_contexts(self._routes)
            self._areas = _areas((context.path or "", context.methods) for context in contexts)
        return f"{name}/".partition("/")[0] not in self._areas

    def _answer(self, request: Request) -> Response:
        name = request.scope["path"].removeprefix("/")
        if self._dist is None:
            return answers.not_built(request, 404 if name else 200)
        file = self._dist.files.get(name)
        return answers.page(self._dist.index) if file is None else answers.file(request, file)


def _areas(routes: Iterable[tuple[str, Collection[str] | None]]) -> frozenset[str]:
    """Return the first parts of the paths of `routes`, given with their methods: nothing below them is the web app's.

    A path of one part that is for programs only (POST /register) is free for people who open it.
    """
    areas = {ASSETS.strip("/")}
    for path, methods in routes:
        area, has_more, _ = path.removeprefix("/").partition("/")
        if has_more or "GET" in (methods or {"GET"}):
            areas.add(area)
    return frozenset(areas - {""})
