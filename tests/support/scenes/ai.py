"""Use of AI actions (there is none until a model is asked), and the tests of the model and mail servers."""

from support.api import Api
from support.scenes.ask import ADMINS, EVERYBODY, Ask, Failing

ASKS: dict[str, Ask] = {
    "GET /api/ai/usage": Ask(allowed=EVERYBODY),
    "POST /api/ai/test": Ask(allowed=ADMINS),
    "POST /api/mail/test": Ask(allowed=EVERYBODY),
}

FAILURES: dict[tuple[str, int], Failing] = {}

FILLS = ()


async def scene(_: Api) -> dict[str, str]:
    return {}
