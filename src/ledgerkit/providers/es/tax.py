"""Spain's tax facts as core asks for them: rates, rounding, numbering, codes, legends."""

from collections.abc import Mapping, Sequence
from datetime import date
from types import MappingProxyType

from ledgerkit.money import RoundingPolicy
from ledgerkit.providers.api import Document, DocumentKind, Legend, NumberingRules, TaxIdCheck, TaxRate
from ledgerkit.providers.es import legends, rates, tax_ids

EXEMPTION_CODES: Mapping[str, str] = MappingProxyType(
    {
        "E1": "Exempt by art. 20 of Ley 37/1992 (education, health, finance, letting of dwellings...)",
        "E2": "Exempt by art. 21 (export)",
        "E3": "Exempt by art. 22 (operations treated as exports)",
        "E4": "Exempt by arts. 23 and 24 (customs and fiscal regimes)",
        "E5": "Exempt by art. 25 (intra-Community supply of goods)",
        "E6": "Exempt by another rule",
    }
)
"""List L10 of the AEAT's record design; E7 and E8 belong to the Canary Islands' IGIC."""

REGIME_KEYS: Mapping[str, str] = MappingProxyType(
    {
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
        "17": "One-stop shop (OSS, IOSS)",
        "18": "Equivalence surcharge (the retailer's own regime)",
        "19": "Farming, livestock and fishing",
        "20": "Simplified regime",
    }
)
"""List L8A of the AEAT's record design (ClaveRegimen of the IVA)."""

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
    exemption_codes: Mapping[str, str] = EXEMPTION_CODES
    regime_keys: Mapping[str, str] = REGIME_KEYS
    taxes: Mapping[str, str] = MappingProxyType({})
    document_details: Mapping[str, str] = MappingProxyType({})

    def rates(self, on: date, tax: str | None = None) -> Sequence[TaxRate]:
        return rates.in_force(on) if tax is None else ()

    def check_tax_id(self, value: str, country: str) -> TaxIdCheck:
        return tax_ids.check(value, country)

    def legends(self, document: Document) -> Sequence[Legend]:
        return legends.legends(document)
