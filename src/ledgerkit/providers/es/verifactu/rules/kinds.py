"""Rules on a document's kind, the documents it corrects or replaces, and its flags and references."""

from ledgerkit.providers.api import DocumentKind
from ledgerkit.providers.es.tax import DETAILS, MARGIN_GOODS
from ledgerkit.providers.es.verifactu import record
from ledgerkit.providers.es.verifactu.messages import RulesMsg
from ledgerkit.providers.es.verifactu.rules.rule import Block, Broken, Rule, rule, when
from ledgerkit.providers.es.verifactu.rules.subject import Subject
from ledgerkit.providers.es.verifactu.xml import clean
from ledgerkit.texts import Message, text

MAX_NAMED = 1000
"""Most invoices that one invoice may correct or replace. Source: SuministroInformacion.xsd."""

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
    """Breach of a flag whose value is neither yes nor no."""
    return when(lambda s: not isinstance(s.document.details.get(key, False), bool))


def _says(subject: Subject, key: str) -> bool:
    return record.detail(subject.document, key)


def _too_long(key: str) -> Broken:
    _, limit = record.REFERENCES[key]
    return when(lambda s: len(clean(str(s.document.details.get(key, "")), limit + 1)) > limit)


def _agreement(element: str, limit: int) -> Message:
    return text(RulesMsg.AGREEMENT_NUMBER_TOO_LONG, element=element, limit=limit)


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
        RulesMsg.CORRECTED_TOO_MANY,
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
        RulesMsg.SIMPLIFIED_TOO_MANY,
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
    rule("1157", "fiscalDetails.coupon", "Cupon", when(lambda s: _says(s, "coupon") and s.kind not in _COUPON_KINDS)),
    rule("1100", "fiscalDetails.coupon", "Cupon", _flag("coupon"), RulesMsg.COUPON_NEITHER_TRUE_NOR_FALSE),
    rule(
        "1100",
        "fiscalDetails.marginGoods",
        "RegistroAlta",
        when(lambda s: s.document.details.get("marginGoods", MARGIN_GOODS[0]) not in MARGIN_GOODS),
        text(RulesMsg.MARGIN_GOODS_UNKNOWN, known=", ".join(MARGIN_GOODS)),
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
        text(RulesMsg.DETAIL_UNKNOWN, known=", ".join(DETAILS)),
    ),
)

BLOCKS = (
    Block(lambda s: _is_credit_note(s) or s.document.correction is not None, _CORRECTING),
    Block(lambda s: s.document.substitutes, _SUBSTITUTING),
    Block(lambda s: s.document.details, _DETAILED),
)
