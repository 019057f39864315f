from typing import ClassVar

from ledgerkit.providers.conformance import ProviderConformance
from ledgerkit.providers.es import country
from ledgerkit.providers.es.tax_forms.profile import SpanishTaxProfile
from ledgerkit.providers.es.tax_forms.profile_details import Contact
from support.receipts.lines import lines_of

TICKET = """
        BAR LA ESQUINA S.L.
        CIF: B28746865
Ticket 4411           18/11/2026
2 Menú del día             25,00
Café                        1,50
TOTAL                      26,50 €
Base 24,09   IVA 10%        2,41
ENTREGADO                  50,00
CAMBIO                     23,50
"""
INVOICE = """
Marta Gil Ortega                       FACTURA
NIF 12345678Z                          Fecha: 12/03/2026
Nº factura: 2026/014
Cliente: Estudio Rivas S.L.
NIF: B28746865
Consultoría            1.000,00 €
Base imponible         1.000,00 €
IVA 21%                  210,00 €
IRPF -15%               -150,00 €
TOTAL                  1.060,00 €
IBAN: ES91 2100 0418 4502 0005 1332
"""


class TestSpain(ProviderConformance):
    provider = country
    module = "ledgerkit.providers.es"
    reading_documents = (lines_of(TICKET), lines_of(INVOICE))
    filing_address: ClassVar = {
        "address": "Calle Mayor 1",
        "postal_code": "28013",
        "city": "Madrid",
        "province": "Madrid",
    }
    filing_profile = SpanishTaxProfile(contact=Contact(surnames="Ruiz Gil", first_name="Ana", phone="910000000"))
    valid_tax_ids = ("12345678Z", "es-12.345.678-z", "X5253868R", "M1234567L", "J99216582", "89890001K", "B64717838")
    invalid_tax_ids = (
        "12345678A",
        "12345678",
        "X5253868A",
        "B64717839",
        "00000000T",
        "X0000000T",
        "B00000000",
        "ESB6471783",
        "B6471783\N{FULLWIDTH DIGIT EIGHT}",
        "no tax id",
    )
