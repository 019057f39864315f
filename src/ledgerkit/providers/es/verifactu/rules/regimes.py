"""Rules on the regimes (ClaveRegimen) of IVA and IGIC: the operations and documents that each may go with."""

from collections.abc import Callable
from decimal import Decimal

from ledgerkit.providers.api import TaxLine
from ledgerkit.providers.es.operations import IGIC, VAT
from ledgerkit.providers.es.tax import MARGIN_REGIMES
from ledgerkit.providers.es.verifactu.breakdown import Detail
from ledgerkit.providers.es.verifactu.messages import RulesMsg
from ledgerkit.providers.es.verifactu.rules.rule import Block, Broken, Rule, line_rule, on_entries, rule
from ledgerkit.providers.es.verifactu.rules.subject import Subject

BUSINESS_PREMISES_RATE = Decimal(21)
MARGIN_MISSING = "MARGIN_MISSING"
"""Code of our own: the authority cannot know that a base is the whole price."""

_PUBLIC_BODIES = frozenset("PQSV")
"""First letters of the NIFs of local, public, state and other bodies."""

_TAXED_IN_CASH = frozenset({None, "S1"})
_EXEMPT_IN_CASH = frozenset({None, "E1", "E6"})


def _under(regime: str, condition: Callable[[Subject, Detail], object], *, taxes: frozenset[str]) -> Broken:
    return on_entries(
        lambda subject, entry: entry.regime == regime and entry.code in taxes and condition(subject, entry)
    )


def _regime(code: str, regime: str, element: str, condition: Callable[[Subject, Detail], object]) -> Rule:
    """A rule of IVA and IGIC alike."""
    return rule(code, "items", f"DetalleDesglose/{element}", _under(regime, condition, taxes=frozenset({VAT, IGIC})))


def _of_one_tax(code: str, regime: str, tax: str, condition: Callable[[Subject, Detail], object]) -> Rule:
    return rule(code, "items", "DetalleDesglose/ClaveRegimen", _under(regime, condition, taxes=frozenset({tax})))


def _not_for_a_group(subject: Subject, entry: Detail) -> bool:
    return subject.kind in {"F2", "F3", "R5"} or entry.cost_base is None


def _not_in_cash(_: Subject, entry: Detail) -> bool:
    return entry.qualification not in _TAXED_IN_CASH or entry.exemption not in _EXEMPT_IN_CASH


def _not_collected_for_others(subject: Subject, entry: Detail) -> bool:
    return entry.qualification != "N1" or subject.kind != "F1" or not subject.nif


def _not_due_later(subject: Subject, _: Detail) -> bool:
    operation = subject.document.operation_date
    return operation is None or operation <= subject.document.issue_date


def _unsaid_margin(subject: Subject, tax_line: TaxLine, detail: Detail) -> bool:
    """Return True when a margin regime lacks its margin; a credit note by differences gives back what was charged."""
    correction = subject.document.correction
    by_differences = correction is not None and correction.method == "differences"
    taxed = detail.qualification == "S1" and tax_line.regime_key in MARGIN_REGIMES
    return taxed and tax_line.untaxed is None and not by_differences


_RULES: tuple[Rule, ...] = (
    _regime("1199", "01", "OperacionExenta", lambda _, d: d.exemption in {"E2", "E3"}),
    _regime("1286", "02", "CalificacionOperacion", lambda _, d: d.exemption is None),
    _regime("1200", "03", "CalificacionOperacion", lambda _, d: d.qualification not in {None, "S1"}),
    _regime("1201", "04", "CalificacionOperacion", lambda _, d: d.qualification not in {None, "S2"}),
    _regime("1202", "06", "BaseImponibleACoste", _not_for_a_group),
    _regime("1203", "07", "CalificacionOperacion", _not_in_cash),
    _regime("1252", "08", "CalificacionOperacion", lambda _, d: d.qualification != "N2"),
    _regime("1205", "10", "CalificacionOperacion", _not_collected_for_others),
    _of_one_tax("1206", "11", VAT, lambda _, d: d.rate is not None and d.rate != BUSINESS_PREMISES_RATE),
    _regime("1147", "14", "ClaveRegimen", _not_due_later),
    _regime("1148", "14", "ClaveRegimen", lambda s, _: not s.addressed or s.kind == "F3"),
    _regime("1149", "14", "ClaveRegimen", lambda s, _: s.addressed and s.nif[:1] not in _PUBLIC_BODIES),
    _of_one_tax("1293", "20", IGIC, lambda _, d: d.qualification != "N2"),
    line_rule(
        MARGIN_MISSING,
        "BaseImponibleOimporteNoSujeto",
        _unsaid_margin,
        RulesMsg.ITEM_REGIME_DOES_NOT_SAY,
        source="Ley 37/1992, arts. 137 and 145",
    ),
)

BLOCKS = (Block(lambda s: not s.is_plain, _RULES),)
