"""Style of the pages with forms: colours of the tokens only, admitted by the hash in their policy."""

import base64
import hashlib
import re

import pytest
from lxml import html

from ledgerkit.core.platform.pages import HEADERS, REDIRECTING_HEADERS, TOKENS, Link, page
from ledgerkit.core.platform.pages.texts import PagesMsg
from ledgerkit.texts import text


@pytest.fixture
def shown() -> html.HtmlElement:
    return html.document_fromstring(page("es", text(PagesMsg.BUSY), [], links=[Link("/docs", text(PagesMsg.BUSY))]))


@pytest.fixture
def style(shown) -> str:
    (content,) = shown.xpath("//style/text()")
    return str(content)


@pytest.mark.parametrize("headers", [HEADERS, REDIRECTING_HEADERS])
def test_the_policy_admits_exactly_the_pages_own_style(style, headers):
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()

    assert f"style-src 'sha256-{digest}'" in headers["Content-Security-Policy"]
    assert "unsafe" not in headers["Content-Security-Policy"]


def test_every_colour_is_a_token(style):
    own = style.removeprefix(TOKENS)

    assert style.startswith(TOKENS)
    assert re.findall(r"#[0-9a-f]{3,8}\b|rgb\(", own) == []
    assert set(re.findall(r"var\((--[\w-]+)", own)) <= set(re.findall(r"(--[\w-]+):", TOKENS))


def test_a_page_is_light_and_dark(shown, style):
    assert shown.xpath("//meta[@name='color-scheme']/@content") == ["light dark"]
    assert "prefers-color-scheme: dark" in style


def test_a_link_leads_to_another_page(shown):
    assert [(link.get("href"), bool(link.text)) for link in shown.xpath("//main//a")] == [("/docs", True)]
