"""/oauth/authorize: the address to which an application sends a person's browser. Other origins cannot read it."""

from fastapi import Request
from starlette.responses import RedirectResponse, Response

from ledgerkit.core.platform.oauth import operations as oauth
from ledgerkit.core.platform.oauth.authorization.requests import REQUEST_LIFE
from ledgerkit.core.platform.oauth.pages import page
from ledgerkit.problems import Problem
from ledgerkit.routers import forms
from ledgerkit.routers.deps import Anonymous
from ledgerkit.routers.routing import Router

REQUEST_COOKIE = "ledgerkit_oauth_request"
"""Cookie by which the consent page recognises the browser of the request."""

router = Router(include_in_schema=False)


@router.get("/oauth/authorize", operation=oauth.authorize)
@router.get("/authorize", operation=oauth.authorize)
async def authorize(request: Request, ctx: Anonymous) -> Response:
    try:
        step = await oauth.authorize(ctx, request.url.query)
    except Problem as refusal:
        return forms.refused(page.refusal_page(refusal, forms.language(request)), refusal)
    if step.refusal is not None:
        return forms.refused(page.returning_page(step.refusal, step.location, forms.language(request)), step.refusal)
    answer = RedirectResponse(step.location, 303, {"Referrer-Policy": "no-referrer"})
    if step.request_id is not None:
        answer.set_cookie(
            REQUEST_COOKIE,
            step.request_id,
            max_age=int(REQUEST_LIFE.total_seconds()),
            path="/oauth",
            secure=step.location.startswith("https:"),
            httponly=True,
            samesite="lax",
        )
    return answer
