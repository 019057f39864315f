"""The mail that brings an invoice to a client, in the client's language."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from babel.dates import format_date
from babel.numbers import format_currency

from ledgerkit.core.mail.message import Attachment, Mail, one_line
from ledgerkit.core.mail.rendering import Language, rendered

_LOCALES = {"es": "es_ES", "en": "en_GB"}
_SUBJECTS = {
    "es": {False: "Factura {number} de {team}", True: "Factura rectificativa {number} de {team}"},
    "en": {False: "Invoice {number} from {team}", True: "Credit note {number} from {team}"},
}


@dataclass(frozen=True, kw_only=True)
class InvoiceNotice:
    """What the mail says. Amounts in `currency` (ISO 4217), two decimals.

    `total` is what the document amounts to for the client, `outstanding` what is still to be paid: how to pay is told
    only while that is above zero. `further` is attached beside the PDF. `link` is the document's public page, `key` as
    in `Mail`.
    """

    language: Language
    to: str
    client_name: str
    team_name: str
    reply_to: str | None
    number: str
    is_credit_note: bool = False
    total: Decimal
    outstanding: Decimal
    currency: str
    due_date: date | None = None
    iban: str | None = None
    link: str | None = None
    pdf: bytes
    file_name: str
    further: Sequence[Attachment] = ()
    key: str | None = None


def invoice_mail(notice: InvoiceNotice) -> Mail:
    """The mail with text, HTML and the PDF attached. Pure."""
    text, html = rendered("invoice", notice.language, _values(notice))
    subject = _SUBJECTS[notice.language][notice.is_credit_note]
    return Mail(
        to=notice.to,
        sender_name=notice.team_name,
        reply_to=notice.reply_to,
        subject=subject.format(number=notice.number, team=notice.team_name),
        text=text,
        html=html,
        attachments=(Attachment(notice.file_name, "application/pdf", notice.pdf), *notice.further),
        language=notice.language,
        key=notice.key,
    )


def _values(notice: InvoiceNotice) -> dict[str, object]:
    """The template's words, each on one line, so that no name can lay out the mail."""
    locale = _LOCALES[notice.language]
    is_part = notice.outstanding != notice.total
    compact = "".join((notice.iban or "").split())
    return {
        "client": one_line(notice.client_name),
        "team": one_line(notice.team_name),
        "number": one_line(notice.number),
        "title": one_line(notice.number),
        "is_credit_note": notice.is_credit_note,
        "total": _money(notice.total, notice.currency, locale),
        "outstanding": _money(notice.outstanding, notice.currency, locale),
        "is_part": is_part,
        "tells_how_to_pay": notice.outstanding > 0 and bool(is_part or notice.due_date or compact),
        "due_date": None if notice.due_date is None else format_date(notice.due_date, "long", locale=locale),
        "iban": " ".join(one_line(compact)[i : i + 4] for i in range(0, len(compact), 4)),
        "link": notice.link,
    }


def _money(amount: Decimal, currency: str, locale: str) -> str:
    """With two decimals whatever the currency's custom, as on the document itself."""
    exact = amount.quantize(Decimal("0.01"))
    return format_currency(exact, currency, locale=locale, currency_digits=False, decimal_quantization=False)
