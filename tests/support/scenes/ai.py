"""Use of AI actions: there is none until a model is asked."""

from support.api import Api
from support.scenes.ask import EVERYBODY, Ask, Failing

ASKS: dict[str, Ask] = {"GET /api/ai/usage": Ask(allowed=EVERYBODY)}

FAILURES: dict[tuple[str, int], Failing] = {}

FILLS = ()


async def scene(_: Api) -> dict[str, str]:
    return {}
