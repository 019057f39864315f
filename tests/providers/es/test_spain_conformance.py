from typing import ClassVar

from ledgerkit.providers.conformance import ProviderConformance
from ledgerkit.providers.es import country


class TestSpain(ProviderConformance):
    provider = country
    module = "ledgerkit.providers.es"
    filing_address: ClassVar = {
        "address": "Calle Mayor 1",
        "postal_code": "28013",
        "city": "Madrid",
        "province": "Madrid",
    }
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
