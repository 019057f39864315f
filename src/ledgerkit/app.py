"""The web application: the routes, /mcp and the documentation over one kernel."""

import asyncio
import base64
import hashlib
import json
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import cache
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.docs import get_swagger_ui_html
from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import StaticFiles

from ledgerkit import openapi, routers, web
from ledgerkit.core.platform.request.context import Kernel
from ledgerkit.mcp_server.chat_assistant import SERVICES
from ledgerkit.mcp_server.server import McpEndpoint
from ledgerkit.routers import failures
from ledgerkit.routers.heads import HeadMiddleware
from ledgerkit.routers.measuring import MeasuringMiddleware
from ledgerkit.routers.request_metadata import RequestMetadataMiddleware
from ledgerkit.runtime import serving
from ledgerkit.settings import Settings


def _router_modules() -> list[ModuleType]:
    """The modules of `routers` that have a router.

    Those without path parameters come first: `/api/expenses/{id}` would take `/api/expenses/cashflow` for itself.
    """
    modules = (import_module(f"{routers.__name__}.{module.name}") for module in iter_modules(routers.__path__))
    return sorted((module for module in modules if hasattr(module, "router")), key=_has_parameters)


def _has_parameters(module: ModuleType) -> bool:
    return any("{" in route.path for route in module.router.routes)


ROUTERS = _router_modules()


def _tags() -> dict[str, str]:
    """Name and subject of each group of operations, by name; a group of several routers is described by one of them."""
    described = {str(module.router.tags[0]): module.router.about for module in ROUTERS if module.router.about}
    return dict(sorted(described.items()))


PUBLIC = {"Cache-Control": "public, max-age=300"}
"""Headers of the documentation only: everything else may hold somebody's data."""


def create_app(
    settings: Settings | None = None, kernel: Kernel | None = None, *, web_directory: Path = web.DIRECTORY
) -> FastAPI:
    """The application; its lifespan starts and stops everything it needs, unless a running `kernel` is given.

    The web app is what has been built into `web_directory`.
    """
    settings = settings or Settings()
    mcp = McpEndpoint(settings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            running = await stack.enter_async_context(serving(settings, SERVICES)) if kernel is None else kernel
            app.state.kernel = running
            await stack.enter_async_context(mcp.running(running))
            yield

    app = FastAPI(
        title="ledgerkit",
        version=openapi.VERSION,
        lifespan=lifespan,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        # Spans of requests only, and by our exporter only, which leaves out paths and queries.
        telemetry={"metrics": False, "logs": False, "operation_spans": False, "auto_configure": False},
    )
    app.router.routes.append(mcp.route())
    for module in ROUTERS:
        app.include_router(module.router.included)
    failures.install(app)
    app.add_middleware(RequestMetadataMiddleware, settings=settings)
    if settings.metrics_port is not None:
        app.add_middleware(MeasuringMiddleware)
    app.add_middleware(HeadMiddleware)
    app.openapi = lambda: openapi.describe(app, _tags())  # type: ignore[method-assign] # FastAPI's documented way
    _add_docs(app)
    app.router.routes.append(web.WebAppRoute(web.Dist.read(web_directory), list(app.router.routes)))
    return app


def _add_docs(app: FastAPI) -> None:
    """The description, and /docs with its assets from an installed package: nothing is fetched from elsewhere."""
    app.mount("/docs/assets", _Assets(directory=str(files("fastapi_swagger") / "resources")))

    @cache
    def description() -> bytes:
        return json.dumps(app.openapi(), ensure_ascii=False, separators=(",", ":")).encode()

    @app.get("/openapi.json", include_in_schema=False)
    async def openapi_json() -> Response:
        body = await asyncio.to_thread(description)  # made once, and others are answered while it is
        return Response(body, media_type="application/json", headers=PUBLIC)

    @app.get("/docs", include_in_schema=False)
    async def docs() -> HTMLResponse:
        assets = "/docs/assets"
        page = get_swagger_ui_html(
            openapi_url="/openapi.json",
            title="ledgerkit",
            swagger_js_url=f"{assets}/swagger-ui-bundle.js",
            swagger_css_url=f"{assets}/swagger-ui.css",
            swagger_favicon_url=f"{assets}/favicon-32x32.png",
        )
        page.headers.update({**PUBLIC, "Content-Security-Policy": _policy(bytes(page.body)), "X-Frame-Options": "DENY"})
        return page


def _policy(page: bytes) -> str:
    """Let the page run its own scripts and no others: those of our assets, and its inline ones by their hashes."""
    digests = (hashlib.sha256(script).digest() for script in re.findall(rb"<script>(.*?)</script>", page, re.DOTALL))
    inline = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    return (
        f"default-src 'none'; script-src 'self' {inline}; style-src 'self'; img-src 'self' data:; font-src 'self'; "
        "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    )


class _Assets(StaticFiles):
    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers.update(PUBLIC)
        return response
