"""Rules: a code of the authority, the field concerned, the condition of a breach, and its texts."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from ledgerkit.providers.api import FieldProblem, TaxLine
from ledgerkit.providers.es.verifactu import codes
from ledgerkit.providers.es.verifactu.breakdown import Detail
from ledgerkit.providers.es.verifactu.rules.subject import Line, Subject
from ledgerkit.texts import Day, Listed, Message, MessageId, Number, ProblemText, problem_text, text

VALIDATIONS = "AEAT, VERI*FACTU validations 1.2.2 (08/04/2026)"

Values = Mapping[str, object]
"""Values of a breach's texts: rates, days, keys."""

Broken = Callable[[Subject], Iterable[Values]]
"""Function that lists the breaches of a rule in a document, none when it holds."""


@dataclass(frozen=True, kw_only=True)
class Rule:
    """Row of the table. `element` is where the authority finds it, `field` where the caller does.

    Code and field together name a rule. A rule without a code of the authority's has one of our own. `message` is where
    the rule can say more than its code; its text is filled from the breach.
    """

    code: str
    field: str
    element: str
    broken: Broken
    message: Message | None
    source: str = VALIDATIONS

    def problem(self, breach: Values) -> FieldProblem:
        """Describe one breach to the caller."""
        return FieldProblem(field=self.field, code=self.code, text=self._text(breach))

    def _text(self, breach: Values) -> ProblemText:
        if self.message is None:
            return codes.wording(self.code)
        values = {name: _value(value) for name, value in breach.items()}
        return problem_text(self.message.id, {**self.message.values, **values})


@dataclass(frozen=True)
class Block:
    """Rules that can be broken only by documents which they concern; all others need not be held against them."""

    concerns: Callable[[Subject], object]
    rules: tuple[Rule, ...]


def always(_: Subject) -> bool:
    """Return True: for rules that concern every document."""
    return True


def rule(
    code: str, field: str, element: str, broken: Broken, message: MessageId | Message | None = None, **more: str
) -> Rule:
    """Make a row with a text of its own, or that of its code."""
    filled = text(message) if isinstance(message, MessageId) else message
    return Rule(code=code, field=field, element=element, broken=broken, message=filled, **more)


def line_rule(
    code: str,
    element: str,
    condition: Callable[[Subject, TaxLine, Detail], object],
    message: MessageId | Message | None = None,
    **more: str,
) -> Rule:
    """Make a row that each tax line breaks of which `condition` is true; `element` is one of DetalleDesglose."""
    return rule(code, "items", f"DetalleDesglose/{element}", on_lines(condition), message, **more)


def entry_rule(
    code: str, element: str, condition: Callable[[Subject, Detail], object], message: MessageId | None = None
) -> Rule:
    """Make a row that each entry of the breakdown breaks of which `condition` is true."""
    return rule(code, "items", f"DetalleDesglose/{element}", on_entries(condition), message)


def when(condition: Callable[[Subject], object]) -> Broken:
    """Breach, once, of a document of which `condition` is true."""
    return lambda subject: ({},) if condition(subject) else ()


def on_lines(condition: Callable[[Subject, TaxLine, Detail], object]) -> Broken:
    """Breach of each tax line, as it was given and as it is reported, of which `condition` is true."""
    return lambda subject: [
        _of_line(subject, line) for line in subject.lines if condition(subject, line.tax_line, line.detail)
    ]


def on_entries(condition: Callable[[Subject, Detail], object]) -> Broken:
    """Breach of each entry of the breakdown (lines of one combination are one) of which `condition` is true."""
    return lambda subject: [_of_entry(entry) for entry in subject.entries if condition(subject, entry)]


def _of_line(subject: Subject, line: Line) -> Values:
    return {
        **_of_entry(line.detail),
        "category": line.tax_line.category.value,
        "given_rate": line.tax_line.rate,
        "given_tax": line.tax_line.tax,
        "given_exemption": line.tax_line.exemption_code,
        "given_regime": line.tax_line.regime_key,
        "day": subject.day,
        "rates": subject.rates,
        "regimes": tuple(subject.regimes(line.tax_line)),
        "exemptions": tuple(subject.exemptions(line.tax_line)),
    }


def _of_entry(entry: Detail) -> Values:
    return {"rate": entry.rate, "surcharge": entry.surcharge_rate, "regime": entry.regime, "base": entry.base}


def _value(value: object) -> object:
    """A value of a breach as its language writes it."""
    if isinstance(value, Decimal):
        return Number(value)
    if isinstance(value, date):
        return Day(value)
    if isinstance(value, tuple):
        return Listed([_value(entry) for entry in value])
    return "" if value is None else value
