"""The model server that the server asks while it is measured, a process of its own: it takes its time to answer."""

import asyncio
import sys
from contextlib import AsyncExitStack
from typing import Any

from process import HERE, serve_jobs

sys.path.append(str(HERE.parent / "tests"))

from support.modelserver import ModelServer, model_server, reads

SECONDS = 5.0
"""Time that an answer takes, as of a model on a machine of one's own."""


class SlowModel:
    def __init__(self) -> None:
        self._stack = AsyncExitStack()
        self._model: ModelServer | None = None

    async def start(self, _: dict[str, Any]) -> dict[str, Any]:
        self._model = await self._stack.enter_async_context(model_server())
        self._model.says(reads({"category": "office", "confidence": 0.9}, delay=SECONDS))
        return {"url": self._model.url}

    async def waiting(self, job: dict[str, Any]) -> dict[str, Any]:
        """Wait up to a minute until as many requests wait for their answers; give how many do."""
        for _ in range(600):
            if self._model.at_work >= job["wanted"]:
                break
            await asyncio.sleep(0.1)
        return {"waiting": self._model.at_work}

    async def rest(self, _: dict[str, Any]) -> dict[str, Any]:
        """Wait until all have their answers."""
        while self._model.at_work:  # noqa: ASYNC110 - connections end by themselves, and set nothing
            await asyncio.sleep(0.1)
        return {}


if __name__ == "__main__":
    model = SlowModel()
    serve_jobs({"start": model.start, "waiting": model.waiting, "rest": model.rest})
