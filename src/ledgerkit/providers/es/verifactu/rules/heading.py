"""Rules on a document's number, its date, its issuer and its total."""

import re
from datetime import date, timedelta
from decimal import Decimal

from ledgerkit.money import ZERO
from ledgerkit.providers.es.tax import NUMBERING
from ledgerkit.providers.es.verifactu import record
from ledgerkit.providers.es.verifactu.messages import RulesMsg
from ledgerkit.providers.es.verifactu.rules.rule import Block, Rule, always, rule, when
from ledgerkit.providers.es.verifactu.rules.subject import Subject, is_nif, named, typed_tax_id
from ledgerkit.providers.es.verifactu.xml import clean

FIRST_DAY = date(2024, 10, 28)
"""No invoice before this day is taken (rule 1152): the day the Orden came into force, less one."""

SIMPLIFIED_LIMIT = Decimal(3010)
"""Euro, tax included: 3,000 by RD 1619/2012, art. 4.2, and the authority's tolerance of 10 (rule 1150)."""

_TOO_LARGE = Decimal(10) ** 12
_PRINTABLE = re.compile(r"[\x20-\x7e]*")
_YEARS_BACK = 20


def _before_twenty_years(subject: Subject) -> bool:
    operation = subject.document.operation_date
    return operation is not None and operation < _years_before(subject.today)


def _years_before(day: date) -> date:
    """Return the same day twenty years before; for 29 February, the day before it where the year has none."""
    try:
        return day.replace(year=day.year - _YEARS_BACK)
    except ValueError:
        return (day - timedelta(days=1)).replace(year=day.year - _YEARS_BACK)


def _after_its_invoice(subject: Subject) -> bool:
    """Return True when the operation follows its invoice; one in the future breaks another rule (1173)."""
    operation, issue = subject.document.operation_date, subject.document.issue_date
    return operation is not None and issue < operation <= subject.today and not subject.tax_is_pending


def _in_the_future(subject: Subject) -> bool:
    operation = subject.document.operation_date
    return operation is not None and operation > subject.today and not subject.tax_is_pending


def _beyond_next_year(subject: Subject) -> bool:
    operation = subject.document.operation_date
    return operation is not None and operation.year > subject.today.year + 1


def _over_the_limit(subject: Subject) -> bool:
    """Return True for a simplified invoice over its limit; art. 6.1.d and an agreement with the authority lift it."""
    document = subject.document
    lifted = record.detail(document, "withoutRecipientId") or document.details.get("invoicingAgreement")
    if subject.kind != "F2" or lifted:
        return False
    reported = sum((entry.base + (entry.amount or ZERO) for entry in subject.entries), ZERO)
    return reported + sum((line.untaxed or ZERO for line in document.taxes), ZERO) > SIMPLIFIED_LIMIT


def _too_large(subject: Subject) -> bool:
    amounts = [subject.document.gross_total, *(entry.base for entry in subject.entries)]
    return any(abs(amount) >= _TOO_LARGE for amount in amounts)


_ALL: tuple[Rule, ...] = (
    rule(
        "4116",
        "issuer.taxId",
        "Cabecera/ObligadoEmision/NIF",
        when(lambda s: not is_nif(typed_tax_id(s.document.issuer))),
    ),
    rule(
        "1100",
        "issuer.name",
        "NombreRazonEmisor",
        when(lambda s: not named(s.document.issuer)),
        RulesMsg.ISSUER_WITHOUT_NAME,
    ),
    rule("1104", "number", "NumSerieFactura", when(lambda s: not 1 <= len(s.document.number) <= NUMBERING.max_length)),
    rule(
        "1130",
        "number",
        "NumSerieFactura",
        when(
            lambda s: not _PRINTABLE.fullmatch(s.document.number) or s.document.number != s.document.number.strip(" ")
        ),
    ),
    rule(
        "1287",
        "number",
        "NumSerieFactura",
        when(lambda s: any(mark in s.document.number for mark in NUMBERING.forbidden)),
    ),
    rule("1112", "issueDate", "FechaExpedicionFactura", when(lambda s: s.document.issue_date > s.today)),
    rule("1152", "issueDate", "FechaExpedicionFactura", when(lambda s: s.document.issue_date < FIRST_DAY)),
    rule("1100", "currency", "ImporteTotal", when(lambda s: s.document.currency != "EUR"), RulesMsg.CURRENCY_NOT_EURO),
    rule(
        "1100",
        "items[0].description",
        "DescripcionOperacion",
        when(lambda s: not clean(s.document.description, record.DESCRIPTION_LENGTH)),
        RulesMsg.DESCRIPTION_MISSING,
    ),
    rule("1150", "total", "ImporteTotal", when(_over_the_limit)),
    rule("1100", "total", "ImporteTotal", when(_too_large), RulesMsg.AMOUNT_TOO_LARGE),
)

_OPERATED: tuple[Rule, ...] = (
    rule("1146", "operationDate", "FechaOperacion", when(_after_its_invoice)),
    rule("1173", "operationDate", "FechaOperacion", when(_in_the_future)),
    rule("1125", "operationDate", "FechaOperacion", when(_beyond_next_year)),
    rule("1134", "operationDate", "FechaOperacion", when(_before_twenty_years)),
)

BLOCKS = (Block(always, _ALL), Block(lambda s: s.document.operation_date is not None, _OPERATED))
