"""Mail with an invoice to a client, in the language of the document.

Its subject and sentences are words of documents (`mail.subject.*` and others), which countries give in each language.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from babel.dates import format_date
from babel.numbers import format_currency
from markupsafe import Markup, escape

from ledgerkit.core.platform.documents.languages import Words
from ledgerkit.core.platform.mail.delivery.message import Attachment, Mail, one_line
from ledgerkit.core.platform.mail.letters.layout import filled
from ledgerkit.core.platform.mail.texts import MailMsg
from ledgerkit.texts import text


@dataclass(frozen=True, kw_only=True)
class InvoiceNotice:
    """Values of the mail. Amounts in `currency` (ISO 4217), two decimals.

    `total` is the document's amount for the client, `outstanding` the part still to be paid: the mail says how to pay
    only while that is above zero. `is_invoice` as in `PrintedDocument`. `further` is attached besides the PDF. `link`
    is the document's public page, `key` as in `Mail`. `subject` and `message` are words of the sender's own: one takes
    the place of the usual subject, the other stands above all other words.
    """

    words: Words
    to: str
    client_name: str
    team_name: str
    reply_to: str | None
    number: str
    is_credit_note: bool = False
    is_invoice: bool = True
    total: Decimal
    outstanding: Decimal
    currency: str
    due_date: date | None = None
    iban: str | None = None
    link: str | None
    is_simulated: bool = False
    pdf: bytes
    file_name: str
    further: Sequence[Attachment] = ()
    key: str | None = None
    subject: str | None = None
    message: str | None = None

    @property
    def kind(self) -> str:
        """Kind of the document in the keys of the words."""
        if not self.is_invoice:
            return "no_invoice"
        return "credit_note" if self.is_credit_note else "invoice"


def invoice_mail(notice: InvoiceNotice) -> Mail:
    """Return the mail with text, HTML and the PDF attached. Pure."""
    words = notice.words
    return Mail(
        to=notice.to,
        sender_name=notice.team_name,
        reply_to=notice.reply_to,
        subject=_subject(notice),
        text=filled("invoice.txt", _values(notice) | _sentences(notice)),
        html=filled("invoice.html", _values(notice) | _marked_sentences(notice)),
        attachments=(Attachment(notice.file_name, "application/pdf", notice.pdf), *notice.further),
        language=words.language,
        key=notice.key,
    )


def _subject(notice: InvoiceNotice) -> str:
    usual = notice.words[f"mail.subject.{notice.kind}"].format(number=notice.number, team=notice.team_name)
    subject = notice.subject or usual
    if not notice.is_simulated:
        return subject
    return text(MailMsg.SUBJECT_SIMULATED, subject=subject).in_language(notice.words.language)


def _values(notice: InvoiceNotice) -> dict[str, object]:
    """Return the templates' values, each on one line, so that no name can change the layout of the mail."""
    return {
        "w": notice.words,
        "language": notice.words.language,
        "title": one_line(notice.number),
        "team": one_line(notice.team_name),
        "how_to_pay": _how_to_pay(notice),
        "link": notice.link,
        "message": notice.message and "\n".join(notice.message.splitlines()),
    }


def _sentences(notice: InvoiceNotice) -> dict[str, str]:
    words, document_values = notice.words, _document_values(notice)
    return {
        "greeting": words["mail.greeting"].format(**document_values),
        "attached": words[f"mail.attached.{notice.kind}"].format(**document_values),
    }


def _marked_sentences(notice: InvoiceNotice) -> dict[str, Markup]:
    """Return the sentences for HTML, with number and total in bold."""
    words, document_values = notice.words, _document_values(notice)
    bold = {name: Markup("<strong>{}</strong>").format(document_values[name]) for name in ("number", "total")}
    return {
        "greeting": escape(words["mail.greeting"]).format(**document_values),
        "attached": escape(words[f"mail.attached.{notice.kind}"]).format(**bold),
    }


def _document_values(notice: InvoiceNotice) -> dict[str, str]:
    total = _money(notice.total, notice)
    return {"client": one_line(notice.client_name), "number": one_line(notice.number), "total": total}


def _how_to_pay(notice: InvoiceNotice) -> list[tuple[str, str]]:
    """Return labels and values that say how to pay; none when nothing is owed."""
    words, rows = notice.words, list[tuple[str, str]]()
    if notice.outstanding <= 0:
        return rows
    if notice.outstanding != notice.total:
        rows.append((words["open_amount"], _money(notice.outstanding, notice)))
    if notice.due_date is not None:
        rows.append((words["due_date"], format_date(notice.due_date, "long", locale=words.locale)))
    if notice.iban:
        compact = "".join(one_line(notice.iban).split())
        grouped = " ".join(compact[i : i + 4] for i in range(0, len(compact), 4))
        rows += [(words["mail.transfer_to"], grouped), (words["mail.reference"], one_line(notice.number))]
    return rows


def _money(amount: Decimal, notice: InvoiceNotice) -> str:
    """Return the amount with two decimals whatever the currency's custom, as on the document itself."""
    exact, locale = amount.quantize(Decimal("0.01")), notice.words.locale
    return format_currency(exact, notice.currency, locale=locale, currency_digits=False, decimal_quantization=False)
