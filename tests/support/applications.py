"""Applications that are run again and again: FastAPI builds a route when it is first asked for it."""

from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI

from ledgerkit.app import create_app
from ledgerkit.mcp_server.server import McpEndpoint
from ledgerkit.runtime import serving
from ledgerkit.settings import Settings

_idle: defaultdict[str, list[FastAPI]] = defaultdict(list)


@asynccontextmanager
async def running_application(settings: Settings) -> AsyncIterator[FastAPI]:
    """An application over everything that a server runs; one that ran before, where its settings were equal.

    Its routes depend neither on the database nor on the directory. Two that run at a time are never the same.
    """
    idle = _idle[repr(settings.model_dump(exclude={"data_dir", "database_url", "database_app_url"}))]
    app = idle.pop() if idle else create_app(settings)
    (mcp,) = (route.endpoint for route in app.routes if isinstance(getattr(route, "endpoint", None), McpEndpoint))
    async with serving(settings) as kernel, mcp.running(kernel):
        app.state.kernel = kernel
        yield app
    idle.append(app)
