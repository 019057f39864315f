"""Spain's tax facts as core asks for them: rates, rounding, numbering, codes, legends."""

from collections.abc import Mapping, Sequence
from datetime import date
from types import MappingProxyType

from ledgerkit.money import RoundingPolicy
from ledgerkit.providers.api import (
    CorrectedDocuments,
    CorrectionReason,
    Document,
    DocumentKind,
    HintedField,
    Legend,
    NumberingRules,
    Party,
    TaxExemption,
    TaxFacts,
    TaxIdCheck,
    TaxRate,
    TaxWords,
)
from ledgerkit.providers.es import legends, rates, tax_ids
from ledgerkit.providers.es.messages import SpainMsg

TAXES: Mapping[str, str] = MappingProxyType(
    {
        "IGIC": "General indirect tax of the Canary Islands",
        "IPSI": "Tax on production, services and imports of Ceuta and Melilla",
        "OTHER": "Another indirect tax",
    }
)
"""Other taxes that a line may carry instead of the IVA (list L1 of the AEAT's record design: 03, 02 and 05)."""

EXEMPTION_CODES: Mapping[str, str] = MappingProxyType(
    {
        "E1": SpainMsg.EXEMPTION_E1,
        "E2": SpainMsg.EXEMPTION_E2,
        "E3": SpainMsg.EXEMPTION_E3,
        "E4": SpainMsg.EXEMPTION_E4,
        "E5": SpainMsg.EXEMPTION_E5,
        "E6": SpainMsg.EXEMPTION_E6,
    }
)
"""Exemptions of the IVA: list L10 of the AEAT's record design; arts. 20 to 25 of Ley 37/1992, and any other."""

_EVERY_EXEMPTION = MappingProxyType({**EXEMPTION_CODES, "E7": SpainMsg.EXEMPTION_IGIC, "E8": SpainMsg.EXEMPTION_IGIC})

EXEMPTIONS: Mapping[str | None, Mapping[str, str]] = MappingProxyType(
    {None: EXEMPTION_CODES, "IGIC": _EVERY_EXEMPTION, "IPSI": EXEMPTION_CODES, "OTHER": EXEMPTION_CODES}
)
"""Exemptions by tax, None being the IVA; E7 and E8 are the IGIC's alone (AEAT, validations 1.2.2, 1182)."""

_COMMON_REGIMES = {
    "01": "General regime",
    "02": "Export",
    "03": "Used goods, works of art, antiques and collectors' items",
    "04": "Investment gold",
    "05": "Travel agencies",
    "06": "Group of entities, advanced level",
    "07": "Cash accounting",
    "08": "Operations subject to IPSI or IGIC",
    "09": "Mediation of travel agencies (fourth additional provision)",
    "10": "Collection of fees for third parties",
    "11": "Letting of business premises",
    "14": "VAT pending: works certificates to public bodies",
    "15": "VAT pending: successive supplies",
}
_VAT_REGIMES = _COMMON_REGIMES | {
    "17": "One-stop shop (OSS, IOSS)",
    "18": "Equivalence surcharge (the retailer's own regime)",
    "19": "Farming, livestock and fishing",
    "20": "Simplified regime",
}
_IGIC_REGIMES = _COMMON_REGIMES | {
    "08": "Operations subject to IPSI or IVA",
    "17": "Retail trader",
    "18": "Small entrepreneur or professional",
    "19": "Interior operations exempt by art. 25 of Ley 19/1994",
    "20": "Operations subject to IPSI",
    "21": "Simplified regime",
}
_IPSI_REGIMES = {
    "01": "General regime",
    "08": "Operations subject to IVA or IGIC",
    "11": "Letting of business premises",
    "18": "Ceuta, art. 73.4 and 73.5",
    "19": "Exempt interior operations",
    "20": "Objective estimate",
}

REGIMES: Mapping[str | None, Mapping[str, str]] = MappingProxyType(
    {
        None: MappingProxyType(_VAT_REGIMES),
        "IGIC": MappingProxyType(_IGIC_REGIMES),
        "IPSI": MappingProxyType(_IPSI_REGIMES),
        "OTHER": MappingProxyType({}),
    }
)
"""ClaveRegimen by tax, None being the IVA: lists L8A and L8B of the AEAT's record design, and the IPSI's own in its
validations 1.2.2. Another tax has no regime (rule 1260)."""

REGIME_KEYS = REGIMES[None]
"""List L8A of the AEAT's record design (ClaveRegimen of the IVA)."""

_EVERY_REGIME = MappingProxyType({**REGIME_KEYS, "21": "Only IGIC: simplified regime"})

MARGIN_REGIMES = frozenset({"03", "05"})
"""Regimes whose base is the margin: used goods, art and antiques (Ley 37/1992, art. 137), travel agencies (art. 145).

The same keys for IVA and IGIC, whose laws tax both alike."""

TAX_ID_KINDS: Mapping[str, str] = MappingProxyType(
    {
        "passport": SpainMsg.KIND_PASSPORT,
        "official_id": SpainMsg.KIND_OFFICIAL_ID,
        "residence_certificate": SpainMsg.KIND_RESIDENCE_CERTIFICATE,
        "other": SpainMsg.KIND_OTHER,
        "not_registered": SpainMsg.KIND_NOT_REGISTERED,
    }
)
"""List L7 of the AEAT's record design without the tax numbers, which tell by their form what they are."""

DETAILS: Mapping[str, str] = MappingProxyType(
    {
        "identifiedRecipient": SpainMsg.DETAIL_IDENTIFIED_RECIPIENT,
        "withoutRecipientId": SpainMsg.DETAIL_WITHOUT_RECIPIENT_ID,
        "marginGoods": SpainMsg.DETAIL_MARGIN_GOODS,
        "coupon": SpainMsg.DETAIL_COUPON,
        "externalReference": SpainMsg.DETAIL_EXTERNAL_REFERENCE,
        "invoicingAgreement": SpainMsg.DETAIL_INVOICING_AGREEMENT,
        "systemAgreement": SpainMsg.DETAIL_SYSTEM_AGREEMENT,
    }
)
"""Details that a document may carry for the AEAT: FacturaSimplificadaArt7273, FacturaSinIdentifDestinatarioArt61d,
Cupon, RefExterna, NumRegistroAcuerdoFacturacion and IdAcuerdoSistemaInformatico; `marginGoods` is only printed."""

MARGIN_GOODS = ("used_goods", "art", "antiques")

_IDENTIFIED, _UNIDENTIFIED = "identifiedRecipient", "withoutRecipientId"
_WITH_RECIPIENT = (
    CorrectedDocuments(kind=DocumentKind.INVOICE, without_detail=_UNIDENTIFIED),
    CorrectedDocuments(kind=DocumentKind.SIMPLIFIED, with_detail=_IDENTIFIED, without_detail=_UNIDENTIFIED),
)
_WITHOUT_RECIPIENT = (
    CorrectedDocuments(kind=DocumentKind.INVOICE, with_detail=_UNIDENTIFIED),
    CorrectedDocuments(kind=DocumentKind.SIMPLIFIED, without_detail=_IDENTIFIED),
    CorrectedDocuments(kind=DocumentKind.SIMPLIFIED, with_detail=_UNIDENTIFIED),
)

FACTS = TaxFacts(
    rates=rates.RATES,
    exemptions=tuple(TaxExemption(code=code, label=label) for code, label in EXEMPTION_CODES.items()),
    corrections=(
        CorrectionReason(code="R1", label=SpainMsg.CORRECTION_R1, documents=_WITH_RECIPIENT),
        CorrectionReason(code="R2", label=SpainMsg.CORRECTION_R2, documents=_WITH_RECIPIENT),
        CorrectionReason(code="R3", label=SpainMsg.CORRECTION_R3, documents=_WITH_RECIPIENT),
        CorrectionReason(code="R4", label=SpainMsg.CORRECTION_R4, documents=_WITH_RECIPIENT),
        CorrectionReason(code="R5", label=SpainMsg.CORRECTION_R5, documents=_WITHOUT_RECIPIENT),
    ),
    words=TaxWords(tax=SpainMsg.TAX, income_tax=SpainMsg.INCOME_TAX, retention=SpainMsg.RETENTION),
    hints=MappingProxyType(
        {
            HintedField.DOC_TYPE: SpainMsg.HINT_DOC_TYPE,
            HintedField.RETENTION_RATE: SpainMsg.HINT_RETENTION_RATE,
            HintedField.DEFAULT_RETENTION_RATE: SpainMsg.HINT_DEFAULT_RETENTION_RATE,
            HintedField.RETENTION_KIND: SpainMsg.HINT_RETENTION_KIND,
            HintedField.DEDUCTIBLE_PERCENT: SpainMsg.HINT_DEDUCTIBLE_PERCENT,
            HintedField.INVESTMENT_GOOD: SpainMsg.HINT_INVESTMENT_GOOD,
            HintedField.HIGHER_SIMPLIFIED_LIMIT: SpainMsg.HINT_HIGHER_SIMPLIFIED_LIMIT,
        }
    ),
)
"""Offer of the forms for the IVA. Reasons are TipoFactura of a corrective invoice (list L2 of the AEAT's record design;
RD 1619/2012, art. 15); an invoice that identifies no recipient is corrected by R5 (art. 7.2, 7.3 and 6.1.d).

Sources of the hints: RD 439/2007, art. 95.1 (retention of professionals); Ley 37/1992, art. 108.Dos.5 (goods below
3,005.06 € are no investment goods), art. 95.Tres.2 (vehicles: 50 %); RD 1619/2012, art. 4.2 (simplified invoices up to
3,000 €).
"""

EXAMPLE_CLIENTS = tuple(
    Party(name=name, tax_id=tax_id, country="ES", postal_code=postal_code, city=city, province=province)
    for name, tax_id, postal_code, city, province in (
        ("Panadería La Espiga", "B00000018", "46001", "Valencia", "Valencia"),
        ("Talleres Ruiz", "B00000026", "28901", "Getafe", "Madrid"),
        ("Estudio Mar", "B00000034", "11001", "Cádiz", "Cádiz"),
    )
)
"""Invented clients. Their NIF have a right check digit and are nobody's: no province ever had their first figures."""

NUMBERING = NumberingRules(
    series=MappingProxyType({DocumentKind.INVOICE: "F", DocumentKind.SIMPLIFIED: "T", DocumentKind.CREDIT_NOTE: "R"}),
    max_length=60,
    forbidden="\"'<>=",
    source="RD 1619/2012, arts. 6.1.a and 15.6 (own series for corrective invoices); AEAT 1.2.2, 1104, 1130 and 1287",
)


class SpanishTax:
    """`TaxRules` of Spain's common territory. VAT is rounded once per rate over the document (EN 16931)."""

    rounding: RoundingPolicy = RoundingPolicy(per="document")
    numbering: NumberingRules = NUMBERING
    exemption_codes: Mapping[str, str] = _EVERY_EXEMPTION
    regime_keys: Mapping[str, str] = _EVERY_REGIME
    taxes: Mapping[str, str] = TAXES
    tax_id_kinds: Mapping[str, str] = TAX_ID_KINDS
    document_details: Mapping[str, str] = DETAILS

    def rates(self, on: date, tax: str | None = None) -> Sequence[TaxRate]:
        """Rates of the IVA in force. Islands and cities set their own: those of IGIC and IPSI are not checked here."""
        return FACTS.rates_in_force(on) if tax is None else ()

    def check_tax_id(self, value: str, country: str) -> TaxIdCheck:
        return tax_ids.check(value, country)

    def corrections(self, document: Document) -> Mapping[str, str]:
        return FACTS.reasons_for(document)

    def legends(self, document: Document) -> Sequence[Legend]:
        return legends.legends(document)
