"""Pages and their forms, in the language of the visitor."""

from urllib.parse import parse_qs

from fastapi import Request
from starlette.responses import HTMLResponse

from ledgerkit.core.platform import pages
from ledgerkit.problems import Problem
from ledgerkit.texts import MessageId


async def typed(request: Request, *names: str) -> list[str]:
    """Return the texts of a form's fields; an empty one for a field that was not sent."""
    sent = parse_qs((await request.body()).decode("utf-8", "replace"))
    return [sent.get(name, [""])[-1] for name in names]


def shown(content: str, status: int = 200) -> HTMLResponse:
    """Return a page as an answer."""
    return HTMLResponse(content, status, dict(pages.HEADERS))


def invalid_link(request: Request, title: MessageId, explanation: MessageId) -> HTMLResponse:
    """Return the page for a link that is invalid or has expired."""
    return shown(pages.invalid_link_page(language(request), title, explanation), 404)


def refused(content: str, refusal: Problem) -> HTMLResponse:
    """Return the page `content`, which explains why a form was refused."""
    return HTMLResponse(content, refusal.status, {**pages.HEADERS, **refusal.headers})


def language(request: Request) -> str:
    """Return the language of the visitor's page."""
    return pages.chosen_language(request.headers.get("accept-language", ""))
