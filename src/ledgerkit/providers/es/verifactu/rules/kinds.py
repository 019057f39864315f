"""Rules on what kind of document it is, what it corrects or replaces, and the flags and references it carries."""

from ledgerkit.providers.api import DocumentKind
from ledgerkit.providers.es.tax import DETAILS, MARGIN_GOODS
from ledgerkit.providers.es.verifactu import record
from ledgerkit.providers.es.verifactu.rules.rule import Block, Broken, Rule, Said, rule, when
from ledgerkit.providers.es.verifactu.rules.subject import Subject
from ledgerkit.providers.es.verifactu.xml import clean

MAX_NAMED = 1000
"""Invoices that one invoice may correct or replace. Source: SuministroInformacion.xsd."""

_COUPON_KINDS = frozenset({"R1", "R5"})


def _is_credit_note(subject: Subject) -> bool:
    return subject.document.kind is DocumentKind.CREDIT_NOTE


def _reason_is_unknown(subject: Subject) -> bool:
    correction = subject.document.correction
    reason = correction.reason if correction is not None else None
    return _is_credit_note(subject) and reason is not None and reason not in record.CORRECTIVE


def _lacks_replaced_amounts(subject: Subject) -> bool:
    correction = subject.document.correction
    if correction is None or correction.method != "substitution":
        return False
    return _is_credit_note(subject) and None in (correction.replaced_base, correction.replaced_tax)


def _flag(key: str) -> Broken:
    """Broken by a value that is neither yes nor no."""
    return when(lambda s: not isinstance(s.document.details.get(key, False), bool))


def _says(subject: Subject, key: str) -> bool:
    return record.detail(subject.document, key)


def _too_long(key: str) -> Broken:
    _, limit = record.REFERENCES[key]
    return when(lambda s: len(clean(str(s.document.details.get(key, "")), limit + 1)) > limit)


def _agreement(element: str, limit: int) -> Said:
    return Said(
        es=(f"el número del acuerdo ({element}) pasa de {limit} caracteres", "Copia el número que dio la AEAT"),
        en=(f"the agreement's number ({element}) is longer than {limit}", "Copy the number that the AEAT gave"),
    )


_CORRECTING: tuple[Rule, ...] = (
    rule("1106", "correctionReason", "TipoFactura", when(_reason_is_unknown)),
    rule(
        "1114", "rectifies", "TipoRectificativa", when(lambda s: _is_credit_note(s) and s.document.correction is None)
    ),
    rule(
        "1117",
        "rectifies",
        "FacturasRectificadas",
        when(lambda s: not _is_credit_note(s) and s.document.correction is not None),
    ),
    rule("1118", "correctionMethod", "ImporteRectificacion", when(_lacks_replaced_amounts)),
    rule(
        "4113",
        "rectifies",
        "FacturasRectificadas",
        when(lambda s: s.document.correction is not None and len(s.document.correction.documents) > MAX_NAMED),
        Said(
            es=("una rectificativa nombra como mucho mil facturas", "Haz varias rectificativas"),
            en=("a credit note names at most a thousand invoices", "Make several credit notes"),
        ),
    ),
)

_SUBSTITUTING: tuple[Rule, ...] = (
    rule(
        "1116",
        "substitutes",
        "FacturasSustituidas",
        when(lambda s: s.document.substitutes and s.kind != record.IN_PLACE_OF_SIMPLIFIED),
    ),
    rule(
        "4113",
        "substitutes",
        "FacturasSustituidas",
        when(lambda s: len(s.document.substitutes) > MAX_NAMED),
        Said(
            es=("una factura sustituye como mucho a mil simplificadas", "Haz varias facturas"),
            en=("an invoice stands for at most a thousand simplified ones", "Make several invoices"),
        ),
    ),
)

_DETAILED: tuple[Rule, ...] = (
    rule(
        "1183",
        "fiscalDetails.identifiedRecipient",
        "FacturaSimplificadaArt7273",
        when(lambda s: _says(s, "identifiedRecipient") and not s.addressed),
    ),
    rule("1136", "fiscalDetails.identifiedRecipient", "FacturaSimplificadaArt7273", _flag("identifiedRecipient")),
    rule(
        "1185",
        "fiscalDetails.withoutRecipientId",
        "FacturaSinIdentifDestinatarioArt61d",
        when(lambda s: _says(s, "withoutRecipientId") and s.addressed),
    ),
    rule(
        "1184", "fiscalDetails.withoutRecipientId", "FacturaSinIdentifDestinatarioArt61d", _flag("withoutRecipientId")
    ),
    rule(
        "1157",
        "fiscalDetails.coupon",
        "Cupon",
        when(lambda s: _says(s, "coupon") and s.kind not in _COUPON_KINDS),
    ),
    rule(
        "1100",
        "fiscalDetails.coupon",
        "Cupon",
        _flag("coupon"),
        Said(
            es=("la marca de cupón no es verdadera ni falsa", "Escribe verdadero o falso"),
            en=("the mark of a coupon is neither true nor false", "Write true or false"),
        ),
    ),
    rule(
        "1100",
        "fiscalDetails.marginGoods",
        "RegistroAlta",
        when(lambda s: s.document.details.get("marginGoods", MARGIN_GOODS[0]) not in MARGIN_GOODS),
        Said(
            es=(
                "no se sabe qué bienes son los del régimen especial",
                f"Indica uno de estos: {', '.join(MARGIN_GOODS)}",
            ),
            en=("nobody knows what goods those of the margin scheme are", f"Use one of {', '.join(MARGIN_GOODS)}"),
        ),
        source="RD 1619/2012, art. 6.1.o",
    ),
    rule("1253", "fiscalDetails.externalReference", "RefExterna", _too_long("externalReference")),
    rule(
        "1100",
        "fiscalDetails.invoicingAgreement",
        "NumRegistroAcuerdoFacturacion",
        _too_long("invoicingAgreement"),
        _agreement("NumRegistroAcuerdoFacturacion", 15),
    ),
    rule(
        "1100",
        "fiscalDetails.systemAgreement",
        "IdAcuerdoSistemaInformatico",
        _too_long("systemAgreement"),
        _agreement("IdAcuerdoSistemaInformatico", 16),
    ),
    rule(
        "1100",
        "fiscalDetails",
        "RegistroAlta",
        when(lambda s: not set(s.document.details) <= set(DETAILS)),
        Said(
            es=("hay un dato que la AEAT no conoce", f"Usa solo {', '.join(DETAILS)}"),
            en=("there is a detail that the AEAT does not know", f"Use only {', '.join(DETAILS)}"),
        ),
    ),
)

BLOCKS = (
    Block(lambda s: _is_credit_note(s) or s.document.correction is not None, _CORRECTING),
    Block(lambda s: s.document.substitutes, _SUBSTITUTING),
    Block(lambda s: s.document.details, _DETAILED),
)
