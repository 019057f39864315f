"""/d: documents behind signed links that expire. No login, no cache, not for search engines."""

from fastapi import Response

from ledgerkit.core.operation.downloads import operations as downloads
from ledgerkit.routers.deps import Anonymous, attachment
from ledgerkit.routers.routing import Router

router = Router(prefix="/d", include_in_schema=False)


@router.get("/{token}", operation=downloads.opened)
async def open_document(ctx: Anonymous, token: str) -> Response:
    """Return the document behind a link."""
    document = await downloads.opened(ctx, token)
    answer = attachment(document.name, document.content, document.media_type)
    answer.headers.update({"Cache-Control": "no-store", "X-Robots-Tag": "noindex", "Referrer-Policy": "no-referrer"})
    return answer
