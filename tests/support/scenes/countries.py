"""Countries."""

from support.api import Api
from support.scenes.ask import EVERYBODY, Ask, Failing

ASKS: dict[str, Ask] = {"GET /api/countries/{code}": Ask("country", allowed=EVERYBODY)}

FAILURES: dict[tuple[str, int], Failing] = {
    ("GET /api/countries/{code}", 404): Failing("GET", "/api/countries/XX"),
}


async def scene(api: Api) -> dict[str, str]:
    """A country is named by its code, and is nobody's record."""
    return {"country": api.team["country"]}
