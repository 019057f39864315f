"""Properties that need a database run on the session's event loop, between the steps of hypothesis."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import pytest

T = TypeVar("T")


@pytest.fixture(scope="session")
async def loop() -> asyncio.AbstractEventLoop:
    return asyncio.get_running_loop()


@pytest.fixture
def run(loop) -> Callable[[Coroutine[Any, Any, T]], T]:
    """Run a coroutine to its end from a test that is no coroutine itself."""
    return loop.run_until_complete
