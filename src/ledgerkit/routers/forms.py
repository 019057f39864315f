"""Pages and their forms: few bytes in, one page out, in the language of whoever looks."""

from urllib.parse import parse_qs

from fastapi import Request
from starlette.responses import HTMLResponse

from ledgerkit.core import pages
from ledgerkit.core.pages import Language
from ledgerkit.problems import Problem


async def typed(request: Request, *names: str) -> list[str]:
    """Texts typed into the fields of a form; empty ones for those that were not sent."""
    sent = parse_qs((await request.body()).decode("utf-8", "replace"))
    return [sent.get(name, [""])[-1] for name in names]


def shown(content: str, status: int = 200) -> HTMLResponse:
    return HTMLResponse(content, status, dict(pages.HEADERS))


def refused(content: str, refusal: Problem) -> HTMLResponse:
    """A page that says why its form was refused."""
    return HTMLResponse(content, refusal.status, {**pages.HEADERS, **refusal.headers})


def language(request: Request) -> Language:
    return pages.page_language(request.headers.get("accept-language", ""))
