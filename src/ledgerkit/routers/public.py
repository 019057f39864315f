"""/s: the public page of a shared invoice. No login, no script, not for search engines."""

import asyncio

from fastapi import Request, Response
from starlette.responses import HTMLResponse

from ledgerkit.core.platform.documents.languages import words_in
from ledgerkit.core.sales.invoices.pdf import PAGE_HEADERS, not_found_page, share_page
from ledgerkit.core.sales.invoices.public_links import operations as public_links
from ledgerkit.problems import NotFound
from ledgerkit.routers import session_cookie
from ledgerkit.routers.deps import Anonymous, attachment
from ledgerkit.routers.heads import is_head
from ledgerkit.routers.request_metadata import preferred
from ledgerkit.routers.routing import Router

router = Router(prefix="/s", include_in_schema=False)


@router.get("/{token}", operation=public_links.shared_document)
async def shared_invoice(request: Request, ctx: Anonymous, token: str) -> Response:
    try:
        page = await public_links.shared_document(ctx, token, by_recipient=_by_recipient(request))
    except NotFound:
        countries = ctx.kernel.countries
        language = preferred(request.headers.get("accept-language", ""), countries.languages, otherwise="es")
        return HTMLResponse(not_found_page(words_in(countries, "", language)), 404, dict(PAGE_HEADERS))
    content = await asyncio.to_thread(share_page, page, f"{token}/pdf")  # a thousand lines take a tenth of a second
    return HTMLResponse(content, headers=dict(PAGE_HEADERS))


@router.get("/{token}/pdf", operation=public_links.shared_pdf)
async def shared_invoice_pdf(request: Request, ctx: Anonymous, token: str) -> Response:
    pdf = await public_links.shared_pdf(ctx, token, by_recipient=_by_recipient(request))
    answer = attachment(*pdf, "application/pdf")
    answer.headers["X-Robots-Tag"] = "noindex"
    return answer


def _by_recipient(request: Request) -> bool:
    """Return True if a reader opens the document in a browser that is not logged in to this server."""
    return not is_head(request) and session_cookie.sent(request) is None
