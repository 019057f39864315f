"""Rules on the lines of the breakdown: taxes and their keys, taxed and untaxed operations, amounts."""

from decimal import Decimal

from ledgerkit.money import HUNDRED, ZERO
from ledgerkit.providers.api import TaxCategory, TaxLine
from ledgerkit.providers.es import not_subject
from ledgerkit.providers.es.operations import IPSI, OTHER, VAT
from ledgerkit.providers.es.tax import TAXES
from ledgerkit.providers.es.verifactu.breakdown import Detail
from ledgerkit.providers.es.verifactu.messages import RulesMsg
from ledgerkit.providers.es.verifactu.rules.rule import (
    Block,
    Rule,
    always,
    entry_rule,
    line_rule,
    on_entries,
    rule,
    when,
)
from ledgerkit.providers.es.verifactu.rules.subject import Subject
from ledgerkit.texts import Message, text

MAX_ENTRIES = 12
NOT_SUBJECT_REASON_MISSING = "NOT_SUBJECT_REASON_MISSING"
"""Code of our own: the authority cannot know which of the two kinds is the right one."""

TOLERANCE = Decimal(10)
"""Tolerance in euro between a tax and its base times its rate (rules 1142 and 1144)."""

_EXEMPT = frozenset({TaxCategory.EXEMPT, TaxCategory.EXPORT, TaxCategory.INTRA_EU_GOODS})
_NOT_SUBJECT = frozenset({"N1", "N2"})
_HIGHEST_RATE, _RATE_DECIMALS = Decimal(1000), Decimal("0.01")


def _carries_tax(tax_line: TaxLine) -> bool:
    return bool(tax_line.amount)


def _carries_surcharge(tax_line: TaxLine) -> bool:
    return bool(tax_line.surcharge_rate)


def _unknown_tax(_: Subject, tax_line: TaxLine, __: Detail) -> bool:
    return tax_line.tax is not None and tax_line.tax not in TAXES


def _unknown_regime(subject: Subject, tax_line: TaxLine, detail: Detail) -> bool:
    allowed = subject.regimes(tax_line)
    return bool(allowed) and detail.regime not in allowed


def _unknown_exemption(subject: Subject, tax_line: TaxLine, detail: Detail) -> bool:
    allowed = subject.exemptions(tax_line)
    return bool(allowed) and detail.exemption is not None and detail.exemption not in allowed


def _off(amount: Decimal, base: Decimal, rate: Decimal) -> bool:
    return abs(base * rate / HUNDRED - amount) > TOLERANCE


def _taxed(subject: Subject, entry: Detail, *, at_cost: bool) -> bool:
    """Return True when the amounts of `entry` are checked on this of its two bases."""
    checked = entry.qualification == "S1" and not subject.amounts_are_free
    return checked and (entry.cost_base is not None) == at_cost


def _wrong_sign(subject: Subject, entry: Detail) -> bool:
    return _taxed(subject, entry, at_cost=False) and entry.base * (entry.amount or ZERO) < 0


def _wrong_sign_at_cost(subject: Subject, entry: Detail) -> bool:
    return _taxed(subject, entry, at_cost=True) and (entry.cost_base or ZERO) * (entry.amount or ZERO) < 0


def _wrong_amount(subject: Subject, entry: Detail) -> bool:
    """Return True for an amount that is wrong by its size; a wrong sign breaks another rule."""
    checked = _taxed(subject, entry, at_cost=False) and not _wrong_sign(subject, entry)
    return checked and _off(entry.amount or ZERO, entry.base, entry.rate or ZERO)


def _wrong_amount_at_cost(subject: Subject, entry: Detail) -> bool:
    checked = _taxed(subject, entry, at_cost=True) and not _wrong_sign_at_cost(subject, entry)
    return checked and _off(entry.amount or ZERO, entry.cost_base or ZERO, entry.rate or ZERO)


def _unwritable_rate(_: Subject, entry: Detail) -> bool:
    rate = entry.rate or ZERO
    return entry.code != VAT and (not 0 <= rate < _HIGHEST_RATE or rate % _RATE_DECIMALS != 0)


def _unsaid_why_not_subject(subject: Subject, tax_line: TaxLine, _: Detail) -> bool:
    not_taxed = tax_line.category is TaxCategory.NOT_SUBJECT
    return not_taxed and not_subject.reason(tax_line, subject.document.place_of_supply) is None


def _misplaced_cost_base(_: Subject, entry: Detail) -> bool:
    return entry.cost_base is not None and entry.regime != "06" and entry.code not in {IPSI, OTHER}


_ALL: tuple[Rule, ...] = (
    rule("4102", "items", "Desglose", when(lambda s: not s.entries), RulesMsg.ITEMS_MISSING),
    rule("4113", "items", "Desglose", when(lambda s: len(s.entries) > MAX_ENTRIES), RulesMsg.RATES_TOO_MANY),
    entry_rule("1143", "CuotaRepercutida", _wrong_sign),
    entry_rule("1142", "CuotaRepercutida", _wrong_amount),
)

_PARTICULAR: tuple[Rule, ...] = (
    line_rule("1218", "Impuesto", _unknown_tax, Message(RulesMsg.TAX_UNKNOWN, {"known": ", ".join(TAXES)})),
    line_rule("1246", "ClaveRegimen", _unknown_regime, RulesMsg.REGIME_UNKNOWN),
    line_rule("1260", "ClaveRegimen", lambda _, g, d: d.code == OTHER and g.regime_key),
    line_rule("1182", "OperacionExenta", _unknown_exemption, RulesMsg.EXEMPTION_UNKNOWN),
    line_rule(
        "1196",
        "OperacionExenta",
        lambda _, g, __: g.category not in _EXEMPT and g.exemption_code is not None,
        RulesMsg.ITEM_CATEGORY_CARRIES_EXEMPTION,
    ),
    line_rule("1238", "CuotaRepercutida", lambda _, g, d: d.exemption and (_carries_tax(g) or _carries_surcharge(g))),
    line_rule(
        "1237",
        "CuotaRepercutida",
        lambda _, g, d: (
            d.qualification in _NOT_SUBJECT and d.code == VAT and (_carries_tax(g) or _carries_surcharge(g))
        ),
    ),
    line_rule(
        "1207",
        "CuotaRepercutida",
        lambda _, g, d: d.qualification in _NOT_SUBJECT and d.code != VAT and _carries_tax(g),
    ),
    line_rule("1198", "CuotaRepercutida", lambda _, g, d: d.qualification == "S2" and (_carries_tax(g) or g.rate)),
    line_rule("1197", "CalificacionOperacion", lambda s, _, d: d.qualification == "S2" and not s.addressed),
    line_rule(
        "1281",
        "TipoRecargoEquivalencia",
        lambda _, g, d: (
            _carries_surcharge(g) and (d.qualification == "S2" or (d.qualification in _NOT_SUBJECT and d.code != VAT))
        ),
    ),
    line_rule(
        "1284",
        "CuotaRecargoEquivalencia",
        lambda _, g, d: d.qualification == "S1" and g.surcharge_amount and not g.surcharge_rate,
    ),
    line_rule(
        "1289",
        "OperacionExenta",
        lambda s, _, d: d.exemption == "E5" and d.code == VAT and not s.addressed,
        RulesMsg.SIMPLIFIED_INVOICE_CANNOT_CARRY_INTRA,
    ),
    line_rule(
        NOT_SUBJECT_REASON_MISSING,
        "CalificacionOperacion",
        _unsaid_why_not_subject,
        text(RulesMsg.NOT_SUBJECT_WITHOUT_REASON, known=", ".join(not_subject.REASONS)),
        source="AEAT, record design, list L9",
    ),
    entry_rule("1257", "BaseImponibleACoste", _misplaced_cost_base),
    rule(
        "1100",
        "items[0].taxRate",
        "DetalleDesglose/TipoImpositivo",
        on_entries(_unwritable_rate),
        RulesMsg.RATE_CANNOT_REPORTED,
    ),
    entry_rule("1140", "CuotaRepercutida", _wrong_sign_at_cost),
    entry_rule("1144", "CuotaRepercutida", _wrong_amount_at_cost),
)

BLOCKS = (Block(always, _ALL), Block(lambda s: not s.is_plain, _PARTICULAR))
