"""Acts that numbers, reports or mails a document, with the summaries that a person agrees to."""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from ledgerkit.core.platform.mail.api import WithMessage
from ledgerkit.core.platform.request.acts import (
    Act,
    Elastic,
    Fact,
    Json,
    LongText,
    Money,
    Rehearsed,
    Risk,
    Stored,
    Summary,
    as_day,
    as_money,
    doubts,
    if_it_seals,
)
from ledgerkit.core.platform.request.readable import has_unreadable
from ledgerkit.core.platform.request.texts import AskMsg
from ledgerkit.core.sales.invoices import acts as invoice_acts
from ledgerkit.core.sales.invoices.acts import (
    address_doubt,
    free_text_last,
    invoice_facts,
    is_known,
    known_client,
    payment_account,
    unusual_facts,
    written,
)
from ledgerkit.texts import MessageId, text

_ACCOUNT_NUMBER = re.compile(r"(?i)\b[a-z]{2}\d{2}(?:[\W_]*+[a-z0-9]){11,30}|\d(?:[\W_]*+\d){13,}")
"""Number of a bank account (ISO 13616), or so many digits, whatever stands between them but letters."""

_SITE = re.compile(r"(?i)(?<=[\w-][^\W_])\.(?:xn--[a-z0-9-]{1,59}+|[^\W\d_]{2,63}+)(?![\w-]|\.\w)")
"""End of a name as `pago.example`, with at least two signs before the last dot."""

_NO_SITE = re.compile(
    r"(?<![\w.+-])[\w.+-]++@[\w.-]++|\b([A-Z])\1\.([A-Z])\2\b"
    r"|(?i:\.(?:csv|docx?|gif|heic|jpe?g|od[pst]|pdf|png|pptx?|rtf|tiff?|txt|webp|xlsx?|xml|xsig))(?![\w-]|\.\w)"
)
"""Address of mail, abbreviation as EE.UU., or end of a file's name, which end like the name of a site.

No end here is a top-level domain, as `zip` is. What stands before the end may be a site: `pago.example.pdf`.
The time of all of these searches grows with the length of the text only, because others write it.
"""


async def _emission(rehearsed: Rehearsed) -> Summary:
    invoice = await written(rehearsed)
    number, replaced = rehearsed.label(invoice), rehearsed.answer.get("replaces")
    if isinstance(replaced, Mapping):
        facts = [*await invoice_facts(rehearsed, invoice), *_replaced_facts(replaced, invoice.get("currency"))]
        return Summary(text(AskMsg.REPLACE, number=number), facts, AskMsg.FINAL_SEALED)
    is_correction = any(entry.action == "corrected" for entry in rehearsed.entries)
    effect = AskMsg.CORRECT if is_correction else AskMsg.EMIT
    facts = [(AskMsg.ISSUER, _other_issuer(rehearsed, invoice)), *await invoice_facts(rehearsed, invoice)]
    unusual = await unusual_facts(rehearsed, invoice)
    facts = [*free_text_last([*facts, *unusual]), *doubts(rehearsed.before, invoice)]
    return Summary(text(effect, number=number), facts, AskMsg.FINAL_SEALED, is_known(rehearsed, invoice, unusual))


def _other_issuer(rehearsed: Rehearsed, invoice: Json) -> str | None:
    """Return the tax identifier of the document's issuer if it is an earlier one of the account; else None."""
    stamp = invoice.get("einvoice")
    issuer = str(stamp["fiscalId"]).partition(":")[0] if isinstance(stamp, Mapping) else ""
    return issuer if issuer and rehearsed.tax_id and not rehearsed.tax_id.endswith(issuer) else None


def is_unrecorded(rehearsed: Rehearsed, invoice: Json) -> bool:
    """Return True if the act numbers a document without a fiscal record, which no authority is told of."""
    return rehearsed.seals and bool(invoice.get("number")) and invoice.get("einvoice") is None


def _replaced_facts(replaced: Mapping[str, Any], currency: object) -> list[Fact]:
    """Return what the authority holds about the document that would be replaced."""
    return [
        (AskMsg.REPLACED_RECIPIENT, replaced.get("recipient")),
        (AskMsg.REPLACED_TOTAL, as_money(replaced, "total", currency)),
        (AskMsg.REPLACED_DATE, as_day(replaced.get("issueDate"))),
    ]


async def _mailing(rehearsed: Rehearsed) -> Summary:
    sealed = await written(rehearsed)
    invoice = sealed or rehearsed.before
    client = invoice.get("client") or {}
    data: WithMessage = rehearsed.data
    sent_to = getattr(data, "email", None) or rehearsed.answer.get("sentTo") or client.get("email")
    is_reported = rehearsed.seals and not is_unrecorded(rehearsed, sealed)
    effect = AskMsg.EMIT_AND_SEND if is_reported else AskMsg.NUMBER_AND_SEND if rehearsed.seals else AskMsg.SEND
    unusual: list[Fact] = [
        (AskMsg.ATTENTION, await address_doubt(rehearsed, sent_to)),
        *await payment_account(rehearsed, invoice),
    ]
    subject, message = (LongText(words) if words else None for words in (data.subject, data.message))
    doubt = _WordsDoubt([words for words in (subject, message) if words])
    facts: list[Fact] = [
        (AskMsg.SENT_TO, sent_to),
        (AskMsg.ATTENTION, AskMsg.REJECTED if _is_rejected(invoice) else None),
        *unusual[:1],
        *free_text_last(
            [
                (AskMsg.SUBJECT, subject),
                (AskMsg.MESSAGE, message),
                *await invoice_facts(rehearsed, invoice),
                *unusual[1:],
                (AskMsg.ATTENTION, doubt),
            ]
        ),
        *doubts(rehearsed.before, sealed),
    ]
    afterwards = AskMsg.FINAL_SEALED if is_reported else AskMsg.FINAL_MAIL
    is_usual = not doubt.is_unusual and is_known(rehearsed, invoice, unusual)
    return Summary(text(effect, number=rehearsed.label(invoice)), facts, afterwards, is_usual)


class _WordsDoubt(Elastic):
    """Warning about words with a link or an id, or with an account number that the summary does not show whole."""

    def __init__(self, texts: Sequence[LongText]) -> None:
        lines = [words.line for words in texts]
        self._is_unclear = any(has_unreadable(line) or _names_site(line) for line in lines)
        self._ends = [match.end() for line in lines for match in _ACCOUNT_NUMBER.finditer(line)]

    @property
    def is_unusual(self) -> bool:
        """True if the words name an account, a link or an id, shown or not."""
        return self._is_unclear or bool(self._ends)

    def within(self, most: int, language: str) -> str:
        is_hidden = self._is_unclear or any(end > most for end in self._ends)
        return text(AskMsg.MESSAGE_NAMES_ACCOUNT).in_language(language) if is_hidden else ""


def _names_site(line: str) -> bool:
    """Return True if a text has the bare name of a site."""
    return _SITE.search(_NO_SITE.sub(" ", line)) is not None


def _is_rejected(invoice: Json) -> bool:
    """Return True if the authority has rejected the invoice's record, and has no other of it."""
    stamp = invoice.get("einvoice")
    return isinstance(stamp, Mapping) and stamp.get("status") == "rejected"


async def _payment(rehearsed: Rehearsed) -> Summary:
    invoice = await written(rehearsed)
    number = rehearsed.label(invoice)
    facts = await invoice_facts(rehearsed, invoice)
    paid, warnings = _paid(rehearsed, invoice), doubts(rehearsed.before, invoice)
    if not rehearsed.seals:
        return Summary(text(AskMsg.PAY, number=number), [*facts, *paid, *warnings], None)
    unusual = await unusual_facts(rehearsed, invoice)
    facts = [*free_text_last([*facts, *unusual]), *paid, *warnings]
    effect, afterwards = AskMsg.EMIT_AND_PAY, AskMsg.FINAL_SEALED
    if is_unrecorded(rehearsed, invoice):
        effect, afterwards = AskMsg.NUMBER_AND_PAY, AskMsg.AFTER_UNRECORDED
    return Summary(text(effect, number=number), facts, afterwards, is_known(rehearsed, invoice, unusual))


def _paid(rehearsed: Rehearsed, invoice: Json) -> list[Fact]:
    """Return the amount of this payment and its day, and what is still owed after a part."""
    amounts = [Decimal(str(record.get("amountPaid") or 0)) for record in (rehearsed.before, invoice)]
    stated = getattr(rehearsed.arguments.get("data"), "paid_at", None)
    balance = Decimal(str(invoice.get("balance") or 0))
    return [
        (AskMsg.PAID, Money(amounts[1] - amounts[0], invoice.get("currency")) if invoice else None),
        (AskMsg.PAID_AT, stated or as_day(invoice.get("paidAt"))),
        (AskMsg.STILL_OWED, Money(balance, invoice.get("currency")) if balance else None),
    ]


async def _credit(rehearsed: Rehearsed) -> Summary:
    original, invoice = rehearsed.before, await written(rehearsed)
    corrected = Money(original["total"], original.get("currency")) if "total" in original else None
    facts: list[Fact] = [
        (AskMsg.ISSUER, _other_issuer(rehearsed, invoice)),
        *await invoice_facts(rehearsed, invoice),
        (AskMsg.CORRECTED_TOTAL, corrected),
        (AskMsg.REASON, rehearsed.data.reason),
        *doubts(rehearsed.answer),
    ]
    number, original_number = rehearsed.label(invoice), original.get("number") or ""
    return Summary(text(AskMsg.CREDIT, number=number, original=original_number), facts)


async def _annulment(rehearsed: Rehearsed) -> Summary:
    invoice = await written(rehearsed)
    facts: list[Fact] = [
        (AskMsg.ISSUER, _other_issuer(rehearsed, invoice)),
        *await invoice_facts(rehearsed, invoice),
        (AskMsg.REASON, rehearsed.data.reason),
    ]
    return Summary(text(AskMsg.ANNUL, number=rehearsed.label(invoice)), facts)


_OF_BODY = Stored("invoices.get", "data.invoice_id", "invoice")
_MAIL_BEFORE = Stored("invoices.get", "record_id", "invoice")


def _is_emitted(rehearsed: Rehearsed) -> MessageId | None:
    return AskMsg.EMITTED_ALREADY if rehearsed.answer and not rehearsed.entries else None


EMISSION = Act(summary=_emission, before=_OF_BODY, earlier=known_client, idle=_is_emitted)
CREDIT = Act(summary=_credit, before=_OF_BODY)
ANNULMENT = Act(summary=_annulment)
PAYMENT = Act(summary=_payment, risk=Risk.MONEY, asked_if=if_it_seals, before=invoice_acts.BY_ID, earlier=known_client)
MAILING = Act(summary=_mailing, before=invoice_acts.BY_ID, earlier=known_client)
MAILING_ANYWHERE = Act(summary=_mailing, risk=Risk.OUTWARD, before=_MAIL_BEFORE, earlier=known_client)
