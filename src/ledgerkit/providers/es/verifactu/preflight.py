"""Rules that a document would break at the authority, found before it has a number.

Source: AEAT, VERI*FACTU validations 1.2.2 (08/04/2026); each problem carries the code the authority would answer.
"""

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from decimal import Decimal

from ledgerkit.providers.api import Document, DocumentKind, FieldProblem, Party
from ledgerkit.providers.es import tax_ids
from ledgerkit.providers.es.tax import NUMBERING
from ledgerkit.providers.es.verifactu import breakdown, line_rules, parties, record
from ledgerkit.providers.es.verifactu.line_rules import problem
from ledgerkit.providers.es.verifactu.xml import clean

FIRST_DAY = date(2024, 10, 28)
"""No invoice before this day is taken (rule 1152): the day the Orden came into force, less one."""

SIMPLIFIED_LIMIT = Decimal(3010)
"""Euro, tax included: 3,000 by RD 1619/2012, art. 4.2, and the authority's tolerance of 10 (rule 1150)."""

_TOO_LARGE = Decimal(10) ** 12
_PRINTABLE = re.compile(r"[\x20-\x7e]*")
_YEARS_BACK, _MAX_CORRECTED = 20, 1000
_PENDING_REGIMES = frozenset({"14", "15"})


def preflight(document: Document, today: date) -> list[FieldProblem]:
    """Every problem of `document`, in the order a reader would meet the fields."""
    return [found for rule in _RULES for found in rule(document, today)]


def _number(document: Document, today: date) -> Iterator[FieldProblem]:  # noqa: ARG001 - one signature for all rules
    number = document.number
    if not 1 <= len(number) <= NUMBERING.max_length:
        yield problem("number", "1104", "the number must have 1 to 60 characters", "Choose a shorter series.")
    if not _PRINTABLE.fullmatch(number) or number != number.strip():
        message = "the number may hold only ASCII characters and no spaces at its ends"
        yield problem("number", "1130", message, "Use letters without accents, digits and - / . in the series.")
    if any(mark in number for mark in NUMBERING.forbidden):
        yield problem("number", "1287", "the number may not hold any of \" ' < > =", "Take them out of the series.")


def _dates(document: Document, today: date) -> Iterator[FieldProblem]:
    issue, operation = document.issue_date, document.operation_date
    if issue > today:
        yield problem("issueDate", "1112", "the issue date lies in the future", "Issue it with today's date.")
    if issue < FIRST_DAY:
        message = f"VERI*FACTU takes no invoice issued before {FIRST_DAY:%Y-%m-%d}"
        yield problem("issueDate", "1152", message, "Issue it with today's date and give the operation date apart.")
    if operation is not None:
        yield from _operation_date(document, operation, today)


def _operation_date(document: Document, operation: date, today: date) -> Iterator[FieldProblem]:
    pending = all(line.regime_key in _PENDING_REGIMES for line in document.taxes)
    fix = "Give the day on which the goods or services were supplied."
    if operation > document.issue_date and not pending:
        yield problem("operationDate", "1146", "the operation is later than its invoice", fix)
    elif operation > today and not pending:
        yield problem("operationDate", "1173", "the operation date lies in the future", fix)
    if operation.year > today.year + 1:
        yield problem("operationDate", "1125", "the operation date is too far ahead", fix)
    if operation < today - timedelta(days=_YEARS_BACK * 365 + 5) or operation.year < today.year - _YEARS_BACK:
        yield problem("operationDate", "1134", "the operation is more than twenty years old", fix)


def _issuer(document: Document, today: date) -> Iterator[FieldProblem]:  # noqa: ARG001 - one signature for all rules
    issuer = document.issuer
    if not clean(issuer.name, parties.NAME_LENGTH):
        yield problem("issuer.name", "1100", "the issuer has no name", "Set the company name of the team.")
    verdict = tax_ids.check(issuer.tax_id or "", "ES")
    if not verdict.valid:
        message = f"the issuer's NIF is not valid: {verdict.reason}"
        yield problem("issuer.taxId", "4116", message, "Set the Spanish tax id of the team.")


def _recipient(document: Document, today: date) -> Iterator[FieldProblem]:  # noqa: ARG001 - one signature for all rules
    if record.invoice_type(document) in record.WITHOUT_RECIPIENT:
        return
    client = document.recipient
    if client is None:
        yield problem(
            "client", "1189", "the invoice is addressed to nobody", "Name the client, or issue it simplified."
        )
        return
    if not clean(client.name, parties.NAME_LENGTH):
        yield problem("client.name", "1100", "the client has no name", "Give the client's name.")
    yield from _recipient_id(client)


def _recipient_id(client: Party) -> Iterator[FieldProblem]:
    if not client.tax_id or not client.tax_id.strip():
        fix = "Give the client's tax id (or passport number abroad), or issue a simplified invoice."
        yield problem("client.taxId", "1189", "a full invoice needs the client's tax id", fix)
        return
    identity = parties.identity(client)
    if identity is None:
        reason = tax_ids.check(client.tax_id, client.country).reason
        fix = "Correct the NIF, or the client's country if it is not Spain."
        yield problem("client.taxId", "1123", f"the client's NIF is not valid: {reason}", fix)
    elif not 1 <= len(clean(identity.number, parties.ID_LENGTH + 1)) <= parties.ID_LENGTH:
        fix = "Give the identifier without explanations."
        yield problem("client.taxId", "1103", "a foreign tax id has at most 20 characters", fix)


def _amounts(document: Document, today: date) -> Iterator[FieldProblem]:  # noqa: ARG001 - one signature for all rules
    if document.currency != "EUR":
        fix = "Issue the invoice in EUR; the other currency can be named in its notes."
        yield problem("currency", "1100", f"VERI*FACTU records are in EUR, not {document.currency}", fix)
    if abs(document.gross_total) >= _TOO_LARGE:
        yield problem("total", "1210", "the total has more than twelve digits", "Split the invoice.")
    if record.invoice_type(document) == "F2" and document.gross_total > SIMPLIFIED_LIMIT:
        fix = "Issue a full invoice with the client's tax id."
        yield problem("total", "1150", "a simplified invoice may not exceed 3,000 EUR, tax included", fix)
    if not clean(document.description, record.DESCRIPTION_LENGTH):
        yield problem("items", "1100", "nothing says what the invoice is for", "Describe at least one item.")


def _correction(document: Document, today: date) -> Iterator[FieldProblem]:  # noqa: ARG001 - one signature for all rules
    correction = document.correction
    if document.kind is not DocumentKind.CREDIT_NOTE:
        if correction is not None:
            message = "only a credit note names corrected invoices"
            yield problem("rectifies", "1117", message, "Make it a credit note.")
        return
    if correction is None or not 1 <= len(correction.documents) <= _MAX_CORRECTED:
        message = "a credit note must name the invoices it corrects (1 to 1,000)"
        yield problem("rectifies", "1114", message, "Make the credit note from the invoice it corrects.")
        return
    if correction.reason is not None and correction.reason not in record.CORRECTIVE:
        yield problem("reason", "1100", "the reason must be R1, R2, R3, R4 or R5", "Leave it out for R1.")
    if correction.method == "substitution" and None in (correction.replaced_base, correction.replaced_tax):
        message = "a credit note by substitution needs the amounts it replaces"
        yield problem("rectifies", "1118", message, "Make it by differences, or from the invoice it replaces.")


def _lines(document: Document, today: date) -> Iterator[FieldProblem]:  # noqa: ARG001 - one signature for all rules
    count = len(breakdown.details(document))
    if count == 0:
        yield problem("items", "4102", "an invoice needs at least one item", "Add an item.")
    if count > line_rules.MAX_LINES:
        message = "an invoice may combine at most twelve rates, categories and regimes"
        yield problem("items", "4113", message, "Split the invoice.")
    for line in document.taxes:
        yield from line_rules.broken(document, line)


_RULES: tuple[Callable[[Document, date], Iterator[FieldProblem]], ...] = (
    _number,
    _dates,
    _issuer,
    _recipient,
    _amounts,
    _correction,
    _lines,
)
