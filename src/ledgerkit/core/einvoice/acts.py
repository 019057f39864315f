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
    if_it_seals,
)
from ledgerkit.core.platform.request.readable import has_unreadable
from ledgerkit.core.platform.request.texts import AskMsg
from ledgerkit.core.sales.invoices import acts as invoice_acts
from ledgerkit.core.sales.invoices.acts import doubts, free_text_last, invoice_facts, payment_account, written
from ledgerkit.texts import MessageId, Text, text

_ACCOUNT_NUMBER = re.compile(r"(?i)\b[a-z]{2}\d{2}(?:[\W_]*+[a-z0-9]){11,30}|\d(?:[\W_]*+\d){13,}")
"""Number of a bank account (ISO 13616), or so many digits, whatever stands between them but letters."""

_LINK = re.compile(r"(?i)://|\bwww\.|(?<=[^\W_])\.[^\W\d_]{2,63}+/")

_SITE = re.compile(r"(?i)(?<=[\w-][^\W_])\.(?:xn--[a-z0-9-]{1,59}+|[^\W\d_]{2,63}+)(?![\w-]|\.\w)")
"""End of a name as `pago.example`, with at least two signs before the last dot."""

_NO_SITE = re.compile(r"(?<![\w.+-])[\w.+-]++@[\w.-]++|\b([A-Z])\1\.([A-Z])\2\b")
"""Address of mail, or abbreviation as EE.UU., which ends like the name of a site.

The time of all of these searches grows with the length of the text only, because others write it.
"""


async def _is_known(rehearsed: Rehearsed, invoice: Json) -> bool:
    """Return True if the client has been invoiced before the act."""
    client_id = invoice.get("clientId")
    client = await rehearsed.read("clients.get", str(client_id)) if client_id else {}
    return int(client.get("invoiceCount") or 0) > int(rehearsed.seals)


def _is_unusual(facts: list[Fact]) -> bool:
    """Return True if one of these facts is a warning: another bank account, an address that the client never had."""
    return any(label is AskMsg.ATTENTION and value for label, value in facts)


async def _emission(rehearsed: Rehearsed) -> Summary:
    invoice = await written(rehearsed)
    number, replaced = rehearsed.label(invoice), rehearsed.answer.get("replaces")
    if isinstance(replaced, Mapping):
        facts = [*await invoice_facts(rehearsed, invoice), *_replaced_facts(replaced, invoice.get("currency"))]
        return Summary(text(AskMsg.REPLACE, number=number), facts, AskMsg.FINAL_SEALED)
    is_correction = any(entry.action == "corrected" for entry in rehearsed.entries)
    effect = AskMsg.CORRECT if is_correction else AskMsg.EMIT
    facts = [(AskMsg.ISSUER, _other_issuer(rehearsed, invoice)), *await invoice_facts(rehearsed, invoice)]
    paid_into = await payment_account(rehearsed, invoice)
    facts = [*free_text_last([*facts, *paid_into]), *doubts(rehearsed.before, invoice)]
    is_known = not _is_unusual(paid_into) and await _is_known(rehearsed, invoice)
    return Summary(text(effect, number=number), facts, AskMsg.FINAL_SEALED, is_known)


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
    invoice = await written(rehearsed)
    client = invoice.get("client") or rehearsed.before.get("client") or {}
    data: WithMessage = rehearsed.data
    sent_to = getattr(data, "email", None) or rehearsed.answer.get("sentTo") or client.get("email")
    is_reported = rehearsed.seals and not is_unrecorded(rehearsed, invoice)
    effect = AskMsg.EMIT_AND_SEND if is_reported else AskMsg.NUMBER_AND_SEND if rehearsed.seals else AskMsg.SEND
    unusual: list[Fact] = [
        (AskMsg.ATTENTION, await _new_address(rehearsed, sent_to, client)),
        *await payment_account(rehearsed, invoice or rehearsed.before),
    ]
    subject, message = (LongText(words) if words else None for words in (data.subject, data.message))
    doubt = _WordsDoubt([words for words in (subject, message) if words])
    facts: list[Fact] = [
        (AskMsg.SENT_TO, sent_to),
        (AskMsg.ATTENTION, AskMsg.REJECTED if _is_rejected(invoice or rehearsed.before) else None),
        *unusual[:1],
        *free_text_last(
            [
                (AskMsg.SUBJECT, subject),
                (AskMsg.MESSAGE, message),
                *await invoice_facts(rehearsed, invoice or rehearsed.before),
                *unusual[1:],
                (AskMsg.ATTENTION, doubt),
            ]
        ),
        *doubts(rehearsed.before, invoice),
    ]
    afterwards = AskMsg.FINAL_SEALED if is_reported else AskMsg.FINAL_MAIL
    is_unusual = _is_unusual(unusual) or doubt.is_unusual
    is_known = not is_unusual and await _is_known(rehearsed, invoice)
    return Summary(text(effect, number=rehearsed.label(invoice)), facts, afterwards, is_known)


class _WordsDoubt(Elastic):
    """Warning about words with a link or an id, or with an account number that the summary does not show whole."""

    def __init__(self, texts: Sequence[LongText]) -> None:
        lines = [words.line for words in texts]
        self._is_unclear = any(has_unreadable(line) or _has_link(line) for line in lines)
        self._ends = [match.end() for line in lines for match in _ACCOUNT_NUMBER.finditer(line)]

    @property
    def is_unusual(self) -> bool:
        """True if the words name an account, a link or an id, shown or not."""
        return self._is_unclear or bool(self._ends)

    def within(self, most: int, language: str) -> str:
        is_hidden = self._is_unclear or any(end > most for end in self._ends)
        return text(AskMsg.MESSAGE_NAMES_ACCOUNT).in_language(language) if is_hidden else ""


def _has_link(line: str) -> bool:
    """Return True if a text names a site, with or without the beginning of a link."""
    return bool(_LINK.search(line) or _SITE.search(_NO_SITE.sub(" ", line)))


def _is_rejected(invoice: Json) -> bool:
    """Return True if the authority has rejected the invoice's record, and has no other of it."""
    stamp = invoice.get("einvoice")
    return isinstance(stamp, Mapping) and stamp.get("status") == "rejected"


async def _new_address(rehearsed: Rehearsed, sent_to: object, client: Json) -> Text | None:
    """Return a warning about an address that the client's record does not have; else None."""
    client_id = rehearsed.before.get("clientId")
    stored = await rehearsed.read("clients.get", str(client_id)) if client_id else {}
    emails = [str(record["email"]) for record in (stored or client,) if record.get("email")]
    if str(sent_to or "").casefold() in {email.casefold() for email in emails}:
        return None
    return text(AskMsg.NEW_ADDRESS, email=emails[0]) if emails else text(AskMsg.NEW_ADDRESS_OF_NOBODY)


async def _payment(rehearsed: Rehearsed) -> Summary:
    invoice = await written(rehearsed)
    number = rehearsed.label(invoice)
    facts: list[Fact] = [
        *await invoice_facts(rehearsed, invoice),
        *_paid(rehearsed, invoice),
        *doubts(rehearsed.before, invoice),
    ]
    if not rehearsed.seals:
        return Summary(text(AskMsg.PAY, number=number), facts, None)
    if is_unrecorded(rehearsed, invoice):
        return Summary(text(AskMsg.NUMBER_AND_PAY, number=number), facts, AskMsg.AFTER_UNRECORDED)
    is_known = await _is_known(rehearsed, invoice)
    return Summary(text(AskMsg.EMIT_AND_PAY, number=number), facts, AskMsg.FINAL_SEALED, is_known)


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


_OF_BODY = Stored("invoices.get", "data.invoice_id")
_MAIL_BEFORE = Stored("invoices.get", "record_id")


def _is_emitted(rehearsed: Rehearsed) -> MessageId | None:
    return AskMsg.EMITTED_ALREADY if rehearsed.answer and not rehearsed.entries else None


EMISSION = Act(summary=_emission, before=_OF_BODY, idle=_is_emitted)
CREDIT = Act(summary=_credit, before=_OF_BODY)
ANNULMENT = Act(summary=_annulment)
PAYMENT = Act(summary=_payment, risk=Risk.MONEY, asked_if=if_it_seals, before=invoice_acts.BY_ID)
MAILING = Act(summary=_mailing, before=invoice_acts.BY_ID)
MAILING_ANYWHERE = Act(summary=_mailing, risk=Risk.OUTWARD, before=_MAIL_BEFORE)
