"""Rules on the lines of the breakdown: taxes and their keys, what is taxed and what is not, amounts."""

from decimal import Decimal

from ledgerkit.money import HUNDRED, ZERO
from ledgerkit.providers.api import TaxCategory, TaxLine
from ledgerkit.providers.es import not_subject
from ledgerkit.providers.es.tax import TAXES
from ledgerkit.providers.es.verifactu.breakdown import IPSI, OTHER, VAT, Detail
from ledgerkit.providers.es.verifactu.rules.rule import Block, Rule, Said, always, on_entries, on_lines, rule, when
from ledgerkit.providers.es.verifactu.rules.subject import Subject

MAX_ENTRIES = 12
NOT_SUBJECT_REASON_MISSING = "NOT_SUBJECT_REASON_MISSING"
"""A code of our own: the authority cannot know which of the two kinds is the right one."""

TOLERANCE = Decimal(10)
"""Euro, between a tax and its base times its rate (rules 1142 and 1144)."""

_EXEMPT = frozenset({TaxCategory.EXEMPT, TaxCategory.EXPORT, TaxCategory.INTRA_EU_GOODS})
_NOT_SUBJECT = frozenset({"N1", "N2"})
_HIGHEST_RATE, _RATE_DECIMALS = Decimal(1000), Decimal("0.01")


def _carries_tax(given: TaxLine) -> bool:
    return bool(given.amount)


def _carries_surcharge(given: TaxLine) -> bool:
    return bool(given.surcharge_rate)


def _unknown_tax(_: Subject, given: TaxLine, __: Detail) -> bool:
    return given.tax is not None and given.tax not in TAXES


def _unknown_regime(subject: Subject, given: TaxLine, detail: Detail) -> bool:
    known = subject.regimes(given)
    return bool(known) and detail.regime not in known


def _unknown_exemption(subject: Subject, given: TaxLine, detail: Detail) -> bool:
    known = subject.exemptions(given)
    return bool(known) and detail.exemption is not None and detail.exemption not in known


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
    """One of the wrong sign is another rule's."""
    checked = _taxed(subject, entry, at_cost=False) and not _wrong_sign(subject, entry)
    return checked and _off(entry.amount or ZERO, entry.base, entry.rate or ZERO)


def _wrong_amount_at_cost(subject: Subject, entry: Detail) -> bool:
    checked = _taxed(subject, entry, at_cost=True) and not _wrong_sign_at_cost(subject, entry)
    return checked and _off(entry.amount or ZERO, entry.cost_base or ZERO, entry.rate or ZERO)


def _unwritable_rate(_: Subject, entry: Detail) -> bool:
    rate = entry.rate or ZERO
    return entry.code != VAT and (not 0 <= rate < _HIGHEST_RATE or rate % _RATE_DECIMALS != 0)


def _unsaid_why_not_subject(subject: Subject, given: TaxLine, _: Detail) -> bool:
    not_taxed = given.category is TaxCategory.NOT_SUBJECT
    return not_taxed and not_subject.reason(given, subject.document.place_of_supply) is None


def _misplaced_cost_base(_: Subject, entry: Detail) -> bool:
    return entry.cost_base is not None and entry.regime != "06" and entry.code not in {IPSI, OTHER}


_ALL: tuple[Rule, ...] = (
    rule(
        "4102",
        "items",
        "Desglose",
        when(lambda s: not s.entries),
        Said(
            es=("una factura necesita al menos una línea", "Añade una línea"),
            en=("an invoice needs at least one item", "Add an item"),
        ),
    ),
    rule(
        "4113",
        "items",
        "Desglose",
        when(lambda s: len(s.entries) > MAX_ENTRIES),
        Said(
            es=("una factura combina como mucho doce tipos, categorías y regímenes", "Reparte la factura en varias"),
            en=("an invoice may combine at most twelve rates, categories and regimes", "Split the invoice"),
        ),
    ),
    rule("1143", "items", "DetalleDesglose/CuotaRepercutida", on_entries(_wrong_sign)),
    rule("1142", "items", "DetalleDesglose/CuotaRepercutida", on_entries(_wrong_amount)),
)

_PARTICULAR: tuple[Rule, ...] = (
    rule(
        "1218",
        "items",
        "DetalleDesglose/Impuesto",
        on_lines(_unknown_tax),
        Said(
            es=("{given_tax} no es un impuesto conocido", f"Deja el IVA, o usa {', '.join(TAXES)}"),
            en=("{given_tax} is no tax that is known", f"Leave the VAT, or use one of {', '.join(TAXES)}"),
        ),
    ),
    rule(
        "1246",
        "items",
        "DetalleDesglose/ClaveRegimen",
        on_lines(_unknown_regime),
        Said(
            es=("{regime} no es un régimen de ese impuesto", "Usa uno de estos: {regimes}"),
            en=("{regime} is no regime of that tax", "Use one of {regimes}"),
        ),
    ),
    rule("1260", "items", "DetalleDesglose/ClaveRegimen", on_lines(lambda _, g, d: d.code == OTHER and g.regime_key)),
    rule(
        "1182",
        "items",
        "DetalleDesglose/OperacionExenta",
        on_lines(_unknown_exemption),
        Said(
            es=("{given_exemption} no es una exención de ese impuesto", "Usa una de estas: {exemptions}"),
            en=("{given_exemption} is no exemption of that tax", "Use one of {exemptions}"),
        ),
    ),
    rule(
        "1196",
        "items",
        "DetalleDesglose/OperacionExenta",
        on_lines(lambda _, g, __: g.category not in _EXEMPT and g.exemption_code is not None),
        Said(
            es=("una línea de categoría {category} lleva causa de exención", "Quita la causa, o hazla exenta"),
            en=("an item of category {category} carries an exemption", "Drop the exemption, or make it exempt"),
        ),
    ),
    rule(
        "1238",
        "items",
        "DetalleDesglose/CuotaRepercutida",
        on_lines(lambda _, g, d: d.exemption and (_carries_tax(g) or _carries_surcharge(g))),
    ),
    rule(
        "1237",
        "items",
        "DetalleDesglose/CuotaRepercutida",
        on_lines(
            lambda _, g, d: (
                d.qualification in _NOT_SUBJECT and d.code == VAT and (_carries_tax(g) or _carries_surcharge(g))
            )
        ),
    ),
    rule(
        "1207",
        "items",
        "DetalleDesglose/CuotaRepercutida",
        on_lines(lambda _, g, d: d.qualification in _NOT_SUBJECT and d.code != VAT and _carries_tax(g)),
    ),
    rule(
        "1198",
        "items",
        "DetalleDesglose/CuotaRepercutida",
        on_lines(lambda _, g, d: d.qualification == "S2" and (_carries_tax(g) or g.rate)),
    ),
    rule(
        "1197",
        "items",
        "DetalleDesglose/CalificacionOperacion",
        on_lines(lambda s, _, d: d.qualification == "S2" and not s.addressed),
    ),
    rule(
        "1281",
        "items",
        "DetalleDesglose/TipoRecargoEquivalencia",
        on_lines(
            lambda _, g, d: (
                _carries_surcharge(g)
                and (d.qualification == "S2" or (d.qualification in _NOT_SUBJECT and d.code != VAT))
            )
        ),
    ),
    rule(
        "1284",
        "items",
        "DetalleDesglose/CuotaRecargoEquivalencia",
        on_lines(lambda _, g, d: d.qualification == "S1" and g.surcharge_amount and not g.surcharge_rate),
    ),
    rule(
        "1289",
        "items",
        "DetalleDesglose/OperacionExenta",
        on_lines(lambda s, _, d: d.exemption == "E5" and d.code == VAT and not s.addressed),
        Said(
            es=("una entrega intracomunitaria no cabe en una factura simplificada", "Emite una factura completa"),
            en=("a simplified invoice cannot carry an intra-EU supply", "Issue a full invoice"),
        ),
    ),
    rule(
        NOT_SUBJECT_REASON_MISSING,
        "items",
        "DetalleDesglose/CalificacionOperacion",
        on_lines(_unsaid_why_not_subject),
        Said(
            es=(
                "una línea no sujeta no dice por qué, y de ello depende cómo se declara",
                f"Indica notSubjectReason: {', '.join(not_subject.REASONS)}; o placeOfSupply, si es otro país",
            ),
            en=(
                "an item that is not subject does not say why, on which it depends how it is declared",
                f"Give notSubjectReason: {', '.join(not_subject.REASONS)}; or placeOfSupply, where it is abroad",
            ),
        ),
        source="AEAT, record design, list L9",
    ),
    rule("1257", "items", "DetalleDesglose/BaseImponibleACoste", on_entries(_misplaced_cost_base)),
    rule(
        "1100",
        "items[0].taxRate",
        "DetalleDesglose/TipoImpositivo",
        on_entries(_unwritable_rate),
        Said(
            es=("un tipo de {rate} % no se puede declarar", "Usa un tipo de 0 a 999,99 con dos decimales como mucho"),
            en=("a rate of {rate} % cannot be reported", "Use a rate from 0 to 999.99 with at most two decimals"),
        ),
    ),
    rule("1140", "items", "DetalleDesglose/CuotaRepercutida", on_entries(_wrong_sign_at_cost)),
    rule("1144", "items", "DetalleDesglose/CuotaRepercutida", on_entries(_wrong_amount_at_cost)),
)

BLOCKS = (Block(always, _ALL), Block(lambda s: not s.is_plain, _PARTICULAR))
