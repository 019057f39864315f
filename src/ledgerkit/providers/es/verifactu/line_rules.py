"""Rules on the tax lines of a document: rates on their date, surcharges, regimes, exemptions.

Source: AEAT, VERI*FACTU validations 1.2.2 (08/04/2026), block Desglose.
"""

from collections.abc import Iterator
from decimal import Decimal

from ledgerkit.providers.api import Document, FieldProblem, TaxCategory, TaxLine
from ledgerkit.providers.es import rates
from ledgerkit.providers.es.tax import EXEMPTION_CODES, REGIME_KEYS
from ledgerkit.providers.es.verifactu import breakdown, parties, record
from ledgerkit.providers.es.verifactu.breakdown import Detail

MAX_LINES = 12

_DATED_RATES = {Decimal(5): "1194", Decimal(2): "1235", Decimal("7.5"): "1236"}
_SURCHARGES = {
    Decimal(21): "1162",
    Decimal(10): "1163",
    Decimal(4): "1164",
    Decimal(5): "1160",
    Decimal(2): "1166",
    Decimal("7.5"): "1169",
    Decimal(0): "1277",
}
_BUSINESS_PREMISES_RATE = Decimal(21)
_PUBLIC_BODIES = frozenset("PQSV")
_INTRA_EU = frozenset({TaxCategory.INTRA_EU_GOODS, TaxCategory.INTRA_EU_SERVICES})


def problem(field: str, code: str, message: str, remedy: str) -> FieldProblem:
    return FieldProblem(field=field, code=code, message=message, remedy=remedy)


def broken(document: Document, line: TaxLine) -> Iterator[FieldProblem]:
    """What is wrong with one tax line; its fields are the lines' own (`items`), since it sums several."""
    yield from _codes(line)
    yield from _rate(document, line)
    yield from _surcharge(document, line)
    yield from _sign(line)
    yield from _category(document, line)
    yield from _regime(document, breakdown.of_line(line, document.recipient))


def _codes(line: TaxLine) -> Iterator[FieldProblem]:
    if line.exemption_code is not None and line.exemption_code not in EXEMPTION_CODES:
        message = f"{line.exemption_code} is no exemption of the Spanish VAT"
        yield problem("items", "1182", message, "Use one of E1 to E6.")
    if line.regime_key is not None and line.regime_key not in REGIME_KEYS:
        message = f"{line.regime_key} is no regime of the Spanish VAT"
        yield problem("items", "1246", message, f"Use one of {', '.join(REGIME_KEYS)}.")


def _rate(document: Document, line: TaxLine) -> Iterator[FieldProblem]:
    if line.category is not TaxCategory.STANDARD:
        if line.amount or line.surcharge_rate:
            message = f"a line of category {line.category} carries no tax"
            yield problem("items", "1207", message, "Set its rate to 0.")
        return
    on = document.operation_date or document.issue_date
    if line.rate not in {rate.percent for rate in rates.in_force(on)}:
        code = _DATED_RATES.get(line.rate, "1124")
        listed = ", ".join(f"{rate.percent:f}" for rate in rates.in_force(on))
        message = f"{line.rate.normalize():f} % was not in force on {on:%Y-%m-%d}"
        yield problem("items", code, message, f"Use one of {listed}.")


def _surcharge(document: Document, line: TaxLine) -> Iterator[FieldProblem]:
    if line.category is not TaxCategory.STANDARD or not line.surcharge_rate:
        return
    on = document.operation_date or document.issue_date
    allowed = [s for rate in rates.in_force(on) if rate.percent == line.rate for s in rate.surcharges]
    if line.surcharge_rate not in allowed:
        message = f"no surcharge of {line.surcharge_rate.normalize():f} % goes with {line.rate.normalize():f} %"
        fix = f"Use {' or '.join(f'{surcharge:f}' for surcharge in allowed) or 'no surcharge'}."
        yield problem("items", _SURCHARGES.get(line.rate, "1127"), message, fix)


def _sign(line: TaxLine) -> Iterator[FieldProblem]:
    if line.base * line.amount < 0:
        yield problem("items", "1143", "base and tax have different signs", "Check the amounts of the items.")


def _category(document: Document, line: TaxLine) -> Iterator[FieldProblem]:
    kind = record.invoice_type(document)
    if line.category is TaxCategory.REVERSE_CHARGE and kind in record.WITHOUT_RECIPIENT:
        message = "a simplified invoice cannot carry a reverse charge"
        yield problem("items", "1197", message, "Issue a full invoice.")
    if line.category not in _INTRA_EU:
        return
    if kind in record.WITHOUT_RECIPIENT:
        message = "a simplified invoice cannot carry an intra-EU supply"
        yield problem("items", "1289", message, "Issue a full invoice.")
        return
    client = parties.identity(document.recipient) if document.recipient else None
    if client is not None and client.id_type != parties.VAT_NUMBER:
        message = "an intra-EU supply needs the client's VAT number of another member state"
        yield problem("client.taxId", "1289", message, "Give the VAT number with its country prefix.")


def _regime(document: Document, detail: Detail) -> Iterator[FieldProblem]:
    for keys, code, holds, message in _regime_rules(document, detail):
        if detail.regime in keys and not holds:
            yield problem("items", code, f"regime {detail.regime}: {message}", "Choose another regime.")


def _regime_rules(document: Document, detail: Detail) -> tuple[tuple[frozenset[str], str, bool, str], ...]:
    """Per regime: the rule's code, whether it holds, and what it says."""
    kind, exempt = record.invoice_type(document), detail.exemption is not None
    client = parties.identity(document.recipient) if document.recipient else None
    nif = client.number if client is not None and client.id_type is None else ""
    operation = document.operation_date
    cash = detail.qualification == "S1" or detail.exemption in {"E1", "E6"}
    later = operation is not None and operation > document.issue_date
    return (
        (frozenset({"01"}), "1199", detail.exemption not in {"E2", "E3"}, "no export exemption"),
        (frozenset({"02"}), "1286", exempt, "only exempt operations"),
        (frozenset({"03"}), "1200", detail.qualification == "S1" or exempt, "only taxed or exempt operations"),
        (frozenset({"04"}), "1201", detail.qualification == "S2" or exempt, "only reverse charge or exempt operations"),
        (frozenset({"06"}), "1202", False, "needs the base at cost, which is not supported"),
        (frozenset({"07"}), "1203", cash, "only taxed operations, or exempt by E1 or E6"),
        (frozenset({"08"}), "1252", detail.qualification == "N2", "only operations that are not subject"),
        (
            frozenset({"10"}),
            "1205",
            detail.qualification == "N1" and kind == "F1" and bool(nif),
            "only F1 to a NIF, N1",
        ),
        (frozenset({"11"}), "1206", detail.rate == _BUSINESS_PREMISES_RATE, "only at 21 %"),
        (frozenset({"14"}), "1147", later, "the operation must be later than its invoice"),
        (frozenset({"14"}), "1148", kind not in record.WITHOUT_RECIPIENT, "only full and corrective invoices"),
        (
            frozenset({"14"}),
            "1149",
            nif[:1] in _PUBLIC_BODIES and bool(nif),
            "only to a public body (NIF P, Q, S or V)",
        ),
    )
