"""Territories of Spain by the address, and the authorities that collect their taxes."""

import pytest

from ledgerkit.providers.api import Party
from ledgerkit.providers.es.territories import RULES, SalesTax, Territory, territory_of

AUTHORITIES = [
    # postal code, territory, tax on sales, its authority, authority of income tax
    ("01001", Territory.ALAVA, SalesTax.VAT, "Diputación Foral de Álava", "Diputación Foral de Álava"),
    ("20001", Territory.GIPUZKOA, SalesTax.VAT, "Diputación Foral de Gipuzkoa", "Diputación Foral de Gipuzkoa"),
    ("48001", Territory.BIZKAIA, SalesTax.VAT, "Diputación Foral de Bizkaia", "Diputación Foral de Bizkaia"),
    ("31001", Territory.NAVARRA, SalesTax.VAT, "Hacienda Foral de Navarra", "Hacienda Foral de Navarra"),
    ("35001", Territory.CANARIAS, SalesTax.IGIC, "Agencia Tributaria Canaria", "AEAT"),
    ("38001", Territory.CANARIAS, SalesTax.IGIC, "Agencia Tributaria Canaria", "AEAT"),
    ("51001", Territory.CEUTA, SalesTax.IPSI, "Ciudad Autónoma de Ceuta", "AEAT"),
    ("52001", Territory.MELILLA, SalesTax.IPSI, "Ciudad Autónoma de Melilla", "AEAT"),
    ("28001", Territory.COMMON, SalesTax.VAT, "AEAT", "AEAT"),
    ("09215", Territory.COMMON, SalesTax.VAT, "AEAT", "AEAT"),
]
FORAL = {Territory.ALAVA, Territory.GIPUZKOA, Territory.BIZKAIA, Territory.NAVARRA}


def at(postal_code: str | None = None, province: str | None = None, country: str = "ES") -> Party:
    return Party(name="Ana", tax_id=None, country=country, postal_code=postal_code, province=province)


@pytest.mark.parametrize(("postal_code", "territory", "tax", "of_sales", "of_income"), AUTHORITIES)
def test_each_province_has_its_territory_and_its_authorities(
    postal_code: str, territory: Territory, tax: SalesTax, of_sales: str, of_income: str
) -> None:
    assert territory_of(at(postal_code)) is territory
    rules = RULES[territory]
    assert rules.sales_tax is tax
    assert of_sales in rules.sales_tax_authority.in_language("es")
    assert of_income in rules.income_tax_authority.in_language("es")


def test_foral_are_those_whose_vat_and_income_tax_are_their_own() -> None:
    assert {territory for territory, rules in RULES.items() if rules.is_foral} == FORAL
    assert set(RULES) == set(Territory)


@pytest.mark.parametrize(
    ("party", "territory"),
    [
        (at(province="Vizcaya"), Territory.BIZKAIA),
        (at(province="Las Palmas"), Territory.CANARIAS),
        (at("48001", "Madrid"), Territory.BIZKAIA),
        (at(), None),
        (at("480"), None),
        (at("48001", country="FR"), None),
    ],
)
def test_the_postal_code_tells_the_territory_then_the_province(party: Party, territory: Territory | None) -> None:
    assert territory_of(party) is territory
