"""Pages for a person whose application asked in a way that cannot be granted."""

from urllib.parse import urlsplit

from ledgerkit.core.platform.oauth.texts import OAuthMsg
from ledgerkit.core.platform.pages import Link, page
from ledgerkit.problems import Problem
from ledgerkit.texts import Text, text


def refusal_page(refusal: Problem, language: str) -> str:
    """Render the reason why an application cannot be connected, and what to do about it."""
    return page(language, text(OAuthMsg.NOT_CONNECTED), _reason(refusal))


def returning_page(refusal: Problem, location: str, language: str) -> str:
    """Render the reason, and a link by which the person takes the error to the application at `location`."""
    parts = urlsplit(location)
    destination = parts.netloc if parts.scheme in {"https", "http"} else f"{parts.scheme}:"
    link = Link(location, text(OAuthMsg.RETURN, destination=destination))
    warning = text(OAuthMsg.RETURN_ONLY_IF_KNOWN, destination=destination)
    return page(language, text(OAuthMsg.NOT_CONNECTED), _reason(refusal), warnings=[warning], links=[link])


def _reason(refusal: Problem) -> list[Text]:
    return [refusal.text.message, *([refusal.text.remedy] if refusal.text.remedy else [])]
