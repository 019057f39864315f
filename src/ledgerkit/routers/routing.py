"""Routes that check credentials and permission first, then the path, and only then read a body of limited size."""

from collections.abc import Callable, Coroutine, Sequence
from functools import cached_property
from typing import Any, Protocol, TypedDict, TypeVar, Unpack

from fastapi import APIRouter, Request, Response
from fastapi.params import Depends
from fastapi.routing import APIRoute
from starlette.routing import Match
from starlette.types import Scope

from ledgerkit.core.platform.api_types.fields import is_storable
from ledgerkit.core.platform.api_types.validation import not_json, read_json
from ledgerkit.core.platform.imports.csv_text import CsvText
from ledgerkit.core.platform.request import addresses
from ledgerkit.core.platform.request.bodies import MAX_VALUES, check_encoding, receive_body
from ledgerkit.core.platform.request.context import Kernel, RequestMetadata
from ledgerkit.core.platform.request.operation import Called, Operation, check_permission, declared
from ledgerkit.core.platform.request.previews import StepLeftOutError
from ledgerkit.core.platform.request.proposals import ProposedError
from ledgerkit.money import dumps_exact
from ledgerkit.problems import NotFound, Problem
from ledgerkit.routers import dry_run
from ledgerkit.routers.deps import authenticated, identify
from ledgerkit.routers.messages import RoutersMsg
from ledgerkit.routers.request_metadata import problem_response

CSV = "text/csv"

SMALL = 16 << 10
"""Most bytes of a body from an unknown caller."""

ORDINARY = 1 << 20
"""Most bytes of a body from a known caller."""

PICTURE = 2 << 20
"""Most bytes of a body with a logo of 1 MiB in base64 and other fields."""

DOCUMENT = 4 << 20
"""Most bytes of a body with a document of a thousand lines and long texts."""

CSV_ROWS: dict[str, Any] = {"requestBody": {"content": {CSV: {"schema": {"type": "string"}}}}}
"""Description (`openapi_extra`) of an operation that takes the rows of a file, as JSON or as CSV text."""

FILE_VALUES = 5 * MAX_VALUES
"""Most values in the rows of a file as JSON: 5,000 rows with all columns."""

UPLOAD = 14 << 20
"""Most bytes of a body with a file of 10 MiB in base64 and other fields."""

Handler = Callable[[Request], Coroutine[Any, Any, Response]]
Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])

_WITH_BODY = {"POST", "PUT", "PATCH"}
"""Methods with a body. With another method a body is ignored unless the operation declares one (RFC 9110 §9.3)."""

_JSON_PATHS = ("/api/", "/auth/")


class GuardedRoute(APIRoute):
    """Route that reads the body of a request only after it has checked the caller and the path.

    `max_body_size` is in bytes; the default is ORDINARY, or SMALL if the route asks for no credentials. The setting
    LEDGERKIT_MAX_BODY_MIB limits every route. FastAPI's own limit is not used: it would answer an unknown caller with
    413 instead of 401. `Router` sets `operation`: the operation that the route calls, or None.
    """

    operation: Operation | None

    def __init__(
        self, path: str, endpoint: Callable[..., Any], *, max_body_size: int | None = None, **options: Any
    ) -> None:
        self._given_limit = max_body_size
        super().__init__(path, endpoint, **options)

    @property
    def for_known_callers(self) -> bool:
        """Return True when the route asks for credentials."""
        return any(dependency.call is authenticated for dependency in self.dependant.dependencies)

    @property
    def body_limit(self) -> int:
        """Most bytes of a body."""
        return self._given_limit or (ORDINARY if self.for_known_callers else SMALL)

    @property
    def takes_rows(self) -> bool:
        """Return True when the operation takes the rows of a file, as JSON or as CSV text."""
        return self.openapi_extra is CSV_ROWS

    def get_route_handler(self) -> Handler:
        handle = super().get_route_handler()
        known_callers_only, limit = self.for_known_callers, self.body_limit
        takes_rows, status = self.takes_rows, self.status_code or 200
        has_meaning = self.body_field is not None or not _WITH_BODY.isdisjoint(self.methods or ())

        async def guarded(request: Request) -> Response:
            if known_callers_only:
                await identify(request)
                self._check_permission(request)
            is_dry = request.state.request_metadata.dry_run = dry_run.is_requested(request, possible=_is_api(request))
            _check_path(request)
            bounded = _BoundedRequest(request, limit, takes_rows=takes_rows)
            if has_meaning and _has_body(request):
                _check_media_type(request, takes_rows=takes_rows)
                await bounded.body()  # read here, because FastAPI would make a plain 400 of every problem
            try:
                return await (_rehearsed(handle, bounded, status) if is_dry else handle(bounded))
            except ProposedError as proposed:
                return _accepted(proposed)

        return guarded

    def _check_permission(self, request: Request) -> None:
        """Check that the caller may do the route's operation. Raises OutOfScope, Forbidden, Unauthenticated."""
        if self.operation is not None:
            check_permission(self.operation, request.state.context)


class Decorator(Protocol):
    """Decorator that adds a route, and returns its function unchanged."""

    def __call__(self, endpoint: Endpoint, /) -> Endpoint: ...


class RouteOptions(TypedDict, total=False):
    """Further options of a route, in FastAPI's words."""

    dependencies: Sequence[Depends]
    deprecated: bool
    max_body_size: int
    openapi_extra: dict[str, Any]
    operation_id: str
    response_class: type[Response]
    response_model: Any
    responses: dict[int | str, dict[str, Any]]
    status_code: int


class Router:
    """Router whose routes are all guarded. Each route names the operation that it calls.

    `about` describes the operations of its tag. A route that calls no operation has `operation=None`, and a comment
    says why.
    """

    def __init__(
        self,
        *,
        prefix: str = "",
        tags: Sequence[str] = (),
        about: str = "",
        include_in_schema: bool = True,
        route_class: type[GuardedRoute] = GuardedRoute,
    ) -> None:
        self.about = about
        self.tags = tags
        self.included = _Included(
            prefix=prefix, tags=[*tags], include_in_schema=include_in_schema, route_class=route_class
        )
        """Router of FastAPI, for the application."""

    @property
    def routes(self) -> list[GuardedRoute]:
        """Routes in the order in which they were added."""
        return [route for route in self.included.routes if isinstance(route, GuardedRoute)]

    def get(self, path: str, *, operation: Called | None, **options: Unpack[RouteOptions]) -> Decorator:
        return self._route("GET", path, operation, options)

    def post(self, path: str, *, operation: Called | None, **options: Unpack[RouteOptions]) -> Decorator:
        return self._route("POST", path, operation, options)

    def put(self, path: str, *, operation: Called | None, **options: Unpack[RouteOptions]) -> Decorator:
        return self._route("PUT", path, operation, options)

    def patch(self, path: str, *, operation: Called | None, **options: Unpack[RouteOptions]) -> Decorator:
        return self._route("PATCH", path, operation, options)

    def delete(self, path: str, *, operation: Called | None, **options: Unpack[RouteOptions]) -> Decorator:
        return self._route("DELETE", path, operation, options)

    def options(self, path: str, *, operation: Called | None, **options: Unpack[RouteOptions]) -> Decorator:
        return self._route("OPTIONS", path, operation, options)

    def _route(self, method: str, path: str, operation: Called | None, options: RouteOptions) -> Decorator:
        declaration = None if operation is None else declared(operation)

        def add(endpoint: Endpoint) -> Endpoint:
            self.included.add_api_route(path, endpoint, methods=[method], **options)
            self.routes[-1].operation = declaration
            if declaration is not None:
                addresses.register(method, self.routes[-1].path, declaration.name)
            return endpoint

        return add


class _Included(APIRouter):
    """Router of FastAPI that first compares a request's path with the beginnings of its routes.

    FastAPI alone would try all routes of every router, and twice those of the right one, which took a tenth of the time
    of a short request.
    """

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        path: str = scope["path"].removeprefix(scope.get("root_path", ""))
        return super().matches(scope) if path.startswith(self._beginnings) else (Match.NONE, {})

    @cached_property
    def _beginnings(self) -> tuple[str, ...]:
        """Paths of the routes up to the first parameter; first read after all routes were added."""
        paths = (route.path for route in self.routes if isinstance(route, APIRoute))
        return tuple({path.partition("{")[0] for path in paths})


class _BoundedRequest(Request):
    """Request whose body is limited in size, time and values. Raises TooLarge, RequestTimeout, Invalid."""

    def __init__(self, request: Request, limit: int, *, takes_rows: bool) -> None:
        super().__init__(request.scope, request.receive)
        kernel: Kernel = request.app.state.kernel
        self._seconds = kernel.settings.body_timeout
        self._limit = min(limit, kernel.settings.max_body_mib << 20)
        self._takes_rows = takes_rows
        self._bytes: bytes | None = None

    async def body(self) -> bytes:
        if self._bytes is None:
            declared = self.headers.get("content-length")
            is_csv = self._takes_rows and _media_type(self) == CSV
            received = await receive_body(
                self.receive,
                declared,
                limit=self._limit,
                seconds=self._seconds,
                json=_is_api(self) and not is_csv,
                max_values=FILE_VALUES if self._takes_rows else MAX_VALUES,
            )
            self._bytes = await CsvText.read(received) if is_csv else received
        return self._bytes

    async def json(self) -> Any:
        """Return the body as JSON with finite numbers. Raises Invalid, which FastAPI wraps (see `failures`)."""
        return read_json(await self.body())


def _accepted(proposed: ProposedError) -> Response:
    """Return the proposal that was stored in place of what was asked for (RFC 9110 §15.3.3)."""
    body = dumps_exact(proposed.approval.model_dump(mode="json", by_alias=True))
    return Response(body, status_code=202, media_type="application/json")


async def _rehearsed(handle: Handler, request: Request, status: int) -> Response:
    """Return the answer to a dry run. `status` is the one of a success."""
    request_metadata: RequestMetadata = request.state.request_metadata
    answer: Response | None = None
    try:
        answer = await handle(request)
        status = answer.status_code
    except StepLeftOutError:
        pass
    except Problem as problem:
        if request_metadata.preview is None or request_metadata.preview.problem is not problem:
            raise
        answer, status = problem_response(problem, request.url.path, request_metadata), problem.status
    return dry_run.enveloped(request_metadata, answer, status)


def _check_path(request: Request) -> None:
    """Raise NotFound for a path with a text that cannot be stored. Pages word this themselves."""
    if _is_api(request) and not all(is_storable(str(value)) for value in request.path_params.values()):
        raise NotFound(RoutersMsg.PATH_UNUSABLE)


def _check_media_type(request: Request, *, takes_rows: bool) -> None:
    """Raise UnsupportedMediaType for a compressed body, or one that is not declared as JSON.

    With `takes_rows` CSV text is allowed, too.
    """
    check_encoding(request.headers.get("content-encoding"))
    if not _is_api(request):
        return
    kind = _media_type(request)
    if takes_rows and kind == CSV:
        return
    if kind != "application/json" and not (kind.startswith("application/") and kind.endswith("+json")):
        raise not_json()


def _media_type(request: Request) -> str:
    return str(request.headers.get("content-type", "")).partition(";")[0].strip().lower()


def _is_api(request: Request) -> bool:
    return str(request.scope["path"]).startswith(_JSON_PATHS)


def _has_body(request: Request) -> bool:
    """Return True when the request has a body."""
    return request.headers.get("content-length", "0") != "0" or "transfer-encoding" in request.headers
