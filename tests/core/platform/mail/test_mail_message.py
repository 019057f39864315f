import re
from datetime import UTC, date, datetime
from decimal import Decimal
from email import message_from_bytes
from email.header import decode_header, make_header
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import SMTP
from email.utils import parseaddr

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ledgerkit.core.platform.mail import Attachment, InvoiceNotice, Mail, invoice_mail
from ledgerkit.core.platform.mail.delivery.message import compose, one_line
from ledgerkit.problems import Invalid
from support.printed import words

SENDER = "billing@ledgerkit.example.org"
NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
HEADERS = [
    "From", "To", "Reply-To", "Subject", "Date", "Message-ID", "Auto-Submitted", "X-Auto-Response-Suppress",
    "Content-Language", "MIME-Version", "Content-Type",
]  # fmt: skip


def read_back(mail: Mail) -> EmailMessage:
    return BytesParser(EmailMessage, policy=SMTP).parsebytes(compose(mail, SENDER, NOW).content)


@given(name=st.text(), subject=st.text(), language=st.text(min_size=1), key=st.text(min_size=1), filename=st.text())
@example(
    name="A\r\nBcc: x@y.es", subject="S\nBcc: x@y.es\n\nbody", language="e\rs", key="a>\r\nX: y", filename='f"\n.pdf'
)
@example(name="Ñandú, José; <x@y.es>", subject="=?utf-8?q?=0ABcc=3A_x=40y.es?=", language="es", key="k", filename="a/b")
@example(name='"Ñ" <x@y.es>, b@c.es, ' * 9, subject="é" * 500, language="es", key="k" * 500, filename="ñ" * 200)
def test_no_value_can_add_a_header_an_address_or_a_body(name, subject, language, key, filename):
    message = read_back(
        Mail(
            to="cliente@ejemplo.es",
            subject=subject,
            text="the body",
            sender_name=name,
            reply_to="hola@nandu.es",
            language=language,
            key=key,
            attachments=(Attachment(filename, "application/pdf", b"%PDF"),),
        )
    )

    assert message.keys() == HEADERS
    assert [one.addr_spec for one in message["From"].addresses] == [SENDER]
    assert [one.addr_spec for one in message["To"].addresses] == ["cliente@ejemplo.es"]
    assert message.get_body(("plain",)).get_content().strip() == "the body"
    assert len(list(message.iter_attachments())) == 1


NAMES = [
    "Ñandú, S.L.", "O'Brien & <Sons>", 'The "Best" Ltd', "株式会社", "Zoë 👩‍💻 Consulting", "a, b; c:", "x" * 150,
    "José " * 30,
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_names_are_encoded_and_decoded_unchanged(name):
    content = compose(Mail(to="a@b.es", subject=name, text="", sender_name=name), SENDER, NOW).content

    # read by the older parser: the newer one of Python 3.11 puts blanks between the words of long names
    message = message_from_bytes(content)
    display_name, _ = parseaddr(message["From"])
    assert str(make_header(decode_header(display_name))) == name.strip()
    assert str(make_header(decode_header(message["Subject"]))) == name.strip()
    assert all(len(word) <= 75 for word in re.findall(rb"=\?\S+\?=", content))


@pytest.mark.parametrize("subject", ["ñ" * 150, "Recordatorio de la factura de noviembre, señores: " * 4, "🧾" * 150])
def test_no_line_of_a_folded_subject_is_longer_than_the_standard_allows(subject):
    """RFC 2047, section 2: a line with encoded words has at most 76 characters, the name of the header included."""
    content = compose(Mail(to="a@b.es", subject=subject, text=""), SENDER, NOW).content

    lines = [line for line in content.split(b"\r\n") if b"=?utf-8?" in line]
    assert lines[0].startswith(b"Subject: ")
    assert max(len(line) for line in lines) <= 76


NO_ADDRESSES = [
    "", "a", "a@b@c", "a@b.es\r\nBcc: x@y.es", "a@b.es, x@y.es", "Name <a@b.es>", "a@b..es", "ñ@b.es",
]  # fmt: skip


@pytest.mark.parametrize("written", NO_ADDRESSES)
def test_anything_but_one_address_is_refused(written):
    with pytest.raises(Invalid) as caught:
        compose(Mail(to=written, subject="s", text="t"), SENDER, NOW)

    assert caught.value.errors[0].field == "to"


def test_a_domain_with_an_accent_is_encoded_as_punycode():
    assert read_back(Mail(to="hola@ñandú.es", subject="s", text="t"))["To"].addresses[0].domain == "xn--and-6ma2c.es"


def test_every_mail_is_marked_as_automatic():
    message = read_back(Mail(to="a@b.es", subject="s", text="t"))

    assert message["Auto-Submitted"] == "auto-generated"
    assert message["X-Auto-Response-Suppress"] == "OOF, AutoReply"


def test_characters_that_change_the_reading_direction_are_removed():
    assert one_line("factura\u202efdp.exe") == "factura fdp.exe"


# ---------------------------------------------------------------- the mail of an invoice


def notice(language="es", **changes):
    values = {
        "words": words(language),
        "to": "cliente@ejemplo.es",
        "client_name": "Ejemplo & Hijos",
        "team_name": "Ñandú, S.L.",
        "reply_to": "hola@nandu.es",
        "number": "F2026-0001",
        "total": Decimal("1210.10"),
        "outstanding": Decimal("1210.10"),
        "currency": "EUR",
        "due_date": date(2026, 12, 21),
        "iban": "ES9121000418450200051332",
        "link": "https://ledgerkit.example.org/s/a?b=1&c=2",
        "pdf": b"%PDF-1.7",
        "file_name": "F2026-0001.pdf",
        "key": "k",
    }
    return InvoiceNotice(**{**values, **changes})


def test_the_spanish_mail_says_what_is_to_be_paid_when_and_how():
    mail = invoice_mail(notice())

    assert mail.subject == "Factura F2026-0001 de Ñandú, S.L."
    assert (mail.to, mail.reply_to, mail.sender_name, mail.language) == (
        "cliente@ejemplo.es", "hola@nandu.es", "Ñandú, S.L.", "es",
    )  # fmt: skip
    assert mail.text == (
        "Hola, Ejemplo & Hijos:\n\n"
        "Le enviamos adjunta la factura F2026-0001, por un importe de 1.210,10\N{NO-BREAK SPACE}€.\n\n"
        "Vencimiento: 21 de diciembre de 2026\n"
        "Transferencia a: ES91 2100 0418 4502 0005 1332\n"
        "Concepto: F2026-0001\n\n"
        "También puede verla y descargarla aquí:\n"
        "https://ledgerkit.example.org/s/a?b=1&c=2\n\n"
        "Si tiene cualquier duda, responda a este mensaje.\n\n"
        "Gracias por su confianza.\n\n"
        "Ñandú, S.L.\n"
    )
    assert mail.attachments == (Attachment("F2026-0001.pdf", "application/pdf", b"%PDF-1.7"),)


def test_the_english_mail_of_a_partly_paid_invoice_gives_the_open_amount():
    mail = invoice_mail(notice(language="en", outstanding=Decimal(1000), iban=None, currency="JPY"))

    assert mail.subject == "Invoice F2026-0001 from Ñandú, S.L."
    assert mail.text == (
        "Dear Ejemplo & Hijos,\n\n"
        "Please find attached invoice F2026-0001 for JP¥1,210.10.\n\n"
        "Amount outstanding: JP¥1,000.00\n"
        "Due date: 21 December 2026\n\n"
        "You can also view and download it here:\n"
        "https://ledgerkit.example.org/s/a?b=1&c=2\n\n"
        "If you have any questions, just reply to this message.\n\n"
        "Thank you for your business.\n\n"
        "Ñandú, S.L.\n"
    )


@pytest.mark.parametrize("language", ["es", "en"])
def test_a_paid_invoice_does_not_ask_for_money(language):
    mail = invoice_mail(notice(language=language, outstanding=Decimal(0)))

    for body in (mail.text, mail.html):
        assert "ES91" not in body
        assert "2026-12" not in body
        assert "diciembre" not in body


def test_the_mail_of_a_credit_note_names_it_as_such():
    credit = {"is_credit_note": True, "total": Decimal(-10), "outstanding": Decimal(0)}

    assert invoice_mail(notice(**credit)).subject == "Factura rectificativa F2026-0001 de Ñandú, S.L."
    assert "credit note F2026-0001 for -€10.00" in invoice_mail(notice(language="en", **credit)).text


@pytest.mark.parametrize("language", ["es", "en"])
def test_markup_in_names_stays_text_and_lines_stay_lines(language):
    name = "<script>alert(1)</script>\nIBAN: ES00"

    mail = invoice_mail(notice(language=language, client_name=name, team_name=name, number="<i>1"))

    assert "<script>" not in mail.html
    assert "<i>1" not in mail.html
    assert "&lt;script&gt;" in mail.html
    assert 'href="https://ledgerkit.example.org/s/a?b=1&amp;c=2"' in mail.html
    assert "\nIBAN: ES00" not in mail.text


@pytest.mark.parametrize("language", ["es", "en"])
def test_the_html_loads_nothing_and_has_the_same_content(language):
    html = invoice_mail(notice(language=language)).html

    assert f'<html lang="{language}">' in html
    assert not any(word in html for word in ("src=", "url(", "<link", "<script", "<img"))
    for fact in ("F2026-0001", "Ejemplo &amp; Hijos", "ES91 2100 0418 4502 0005 1332", "Ñandú, S.L."):
        assert fact in html
