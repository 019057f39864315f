"""The public page of a shared document."""

import base64
import dataclasses
import hashlib
import re
from decimal import Decimal

import pytest
from lxml import html

from ledgerkit.core.platform.pages import TOKENS
from ledgerkit.core.sales.invoices.pdf import (
    CONTENT_SECURITY_POLICY,
    PAGE_HEADERS,
    PartyBlock,
    PrintedDocument,
    Status,
    Watermark,
    not_found_page,
    share_page,
)
from support.printed import words

PDF_URL = '/s/abc.pdf?a=1&b="2"'


def parsed(page: str) -> html.HtmlElement:
    return html.document_fromstring(page)


def visible(page: str) -> str:
    return " ".join(parsed(page).find("body").text_content().split())


def test_the_page_shows_the_same_data_as_the_pdf(document: PrintedDocument):
    text = visible(share_page(document, PDF_URL))

    for expected in (
        "Factura F2026-0042",
        "Lucía Fernández Ortega",
        "NIF: 12345678Z",
        "Construcciones Pérez y Muñoz, S.L.",
        "Fecha de expedición21/11/2026",
        "QR tributario:",
        "Factura verificable en la sede electrónica de la AEAT",
        "Consultoría 12,5 h 65,50 € 10 % 21 % 736,88 €",
        "IVA 21 % 1.936,88 € 406,74 €",
        "Total factura2.516,96 €",
        "Retención IRPF 15 % -315,53 €",
        "Total a pagar2.201,43 €",
        "ES91 2100 0418 4502 0005 1332",
        "Gracias por su confianza.",
    ):
        assert expected in text


def test_the_pdf_is_linked(document: PrintedDocument):
    (link,) = parsed(share_page(document, PDF_URL)).xpath("//a")

    assert link.get("href") == PDF_URL
    assert link.text_content() == "Descargar PDF"


@pytest.mark.parametrize(
    ("status", "language", "expected"),
    [
        (Status.OVERDUE, "es", "Estado: Vencida"),
        (Status.PAID, "en", "Status: Paid"),
        (Status.DRAFT, "es", "Estado: Borrador"),
    ],
)
def test_the_status_is_said(document: PrintedDocument, status, language, expected):
    page = share_page(dataclasses.replace(document, status=status, words=words(language)), PDF_URL)

    assert expected in visible(page)
    assert parsed(page).get("lang") == language


def due(document: PrintedDocument) -> list[str]:
    return [" ".join(one.text_content().split()) for one in parsed(share_page(document, PDF_URL)).find_class("due")]


@pytest.mark.parametrize("status", [Status.SENT, Status.OVERDUE])
def test_what_is_to_be_paid_and_until_when_comes_first(document: PrintedDocument, status):
    unpaid = dataclasses.replace(document, status=status, amount_paid=Decimal(0))
    paid_in_part = dataclasses.replace(document, status=status, amount_paid=Decimal("1000.00"))

    assert due(unpaid) == ["Total a pagar 2.201,43 € Vencimiento 21/12/2026"]
    assert due(paid_in_part) == ["Pendiente de pago 1.201,43 € Vencimiento 21/12/2026"]


@pytest.mark.parametrize("status", [Status.DRAFT, Status.PAID, Status.VOID, None])
def test_nobody_is_asked_to_pay_what_is_not_due(document: PrintedDocument, status):
    assert due(dataclasses.replace(document, status=status)) == []


def test_nobody_is_asked_to_pay_a_credit_note(document: PrintedDocument):
    assert due(dataclasses.replace(document, status=Status.SENT, payable=Decimal("-121.00"))) == []


def test_the_page_has_the_colours_of_all_pages_light_and_dark(document: PrintedDocument):
    (style,) = parsed(share_page(document, PDF_URL)).xpath("//style/text()")

    own = style.removeprefix(TOKENS)
    assert style.startswith(TOKENS)
    assert "prefers-color-scheme: dark" in TOKENS
    assert set(re.findall(r"#[0-9a-f]{3,8}\b|rgb\(", own)) == {"#fff"}
    assert set(re.findall(r"var\((--[\w-]+)", own)) <= set(re.findall(r"(--[\w-]+):", TOKENS))


def test_a_watermark_is_said_in_words(document: PrintedDocument):
    page = share_page(dataclasses.replace(document, watermark=Watermark.SANDBOX), PDF_URL)

    assert "SIMULACIÓN · SIN VALIDEZ FISCAL" in visible(page)


@pytest.mark.parametrize("missing", [True, False])
def test_robots_are_sent_away_and_nothing_runs(document: PrintedDocument, missing):
    page = not_found_page(words("es")) if missing else share_page(document, PDF_URL)

    page_tree = parsed(page)
    assert page_tree.xpath("//meta[@name='robots']/@content") == ["noindex,nofollow"]
    assert page_tree.xpath("//script | //iframe | //form | //object | //link | //@style") == []
    assert [name for element in page_tree.iter() for name in element.keys() if name.startswith("on")] == []  # noqa: SIM118 - an element is no mapping
    assert page_tree.xpath("//*[@src][not(starts-with(@src, 'data:image/'))]") == []


@pytest.mark.parametrize("missing", [True, False])
def test_the_policy_admits_exactly_the_pages_own_style(document: PrintedDocument, missing):
    page = not_found_page(words("en")) if missing else share_page(document, PDF_URL)

    (style,) = parsed(page).xpath("//style/text()")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in CONTENT_SECURITY_POLICY
    assert CONTENT_SECURITY_POLICY.startswith("default-src 'none'")
    assert "unsafe" not in CONTENT_SECURITY_POLICY
    assert PAGE_HEADERS["X-Robots-Tag"] == "noindex, nofollow"


def test_markup_in_texts_is_shown_and_not_obeyed(document: PrintedDocument):
    attack = '</style><script>alert(1)</script><img src=x onerror="x">'
    line = dataclasses.replace(document.lines[0], description=attack)
    page = share_page(
        dataclasses.replace(
            document, title=attack, notes=attack, sender=PartyBlock(name=attack), lines=(line,), number=attack
        ),
        '"><script>alert(1)</script>',
    )

    assert "<script" not in page
    assert parsed(page).xpath("//script | //img[@src='x']") == []
    assert visible(page).count(attack) >= 4


def test_headings_tables_and_pictures_are_named_for_screen_readers(document: PrintedDocument):
    page_tree = parsed(share_page(document, PDF_URL))

    assert len(page_tree.xpath("//h1")) == 1
    assert page_tree.xpath("//img[not(@alt) or @alt='']") == []
    assert page_tree.xpath("//table//th[not(@scope)]") == []
    assert len(page_tree.xpath("//main")) == 1


def test_a_draft_says_so(document: PrintedDocument):
    draft = dataclasses.replace(
        document, number=None, qr=None, status=Status.DRAFT, watermark=Watermark.DRAFT, amount_paid=Decimal(0)
    )

    text = visible(share_page(draft, PDF_URL))

    assert "BORRADOR" in text
    assert "QR tributario" not in text


@pytest.mark.parametrize(("language", "expected"), [("es", "no está disponible"), ("en", "is not available")])
def test_a_withdrawn_link_is_explained_in_the_readers_language(language, expected):
    page = not_found_page(words(language))

    assert expected in visible(page)
    assert parsed(page).get("lang") == language
