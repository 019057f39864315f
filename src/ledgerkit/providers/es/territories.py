"""Tax territories of Spain: whose taxes hold where, and which authority collects them.

- Basque Country: Ley 12/2002 (Concierto Económico), arts. 6, 7, 15, 22 and 26 to 29: each of its three territories
  raises income tax, its retentions and instalments, and VAT by its own rules.
- Navarre: Ley 28/1990 (Convenio Económico), arts. 8 to 14, 18 to 23 and 32 to 34: the same for that community.
- Canary Islands: Ley 20/1991: IGIC in the place of VAT (Ley 37/1992, art. 3). Income tax is the State's.
- Ceuta and Melilla: Ley 8/1991: IPSI in the place of VAT (Ley 37/1992, art. 3). Income tax is the State's, with
  the deduction of Ley 35/2006, art. 68.4.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from ledgerkit.providers.api import Party
from ledgerkit.providers.es.messages import TerritoryMsg
from ledgerkit.providers.es.provinces import ABROAD, province_code
from ledgerkit.texts import Text, text


class Territory(StrEnum):
    """Territory by whose rules a taxpayer pays; COMMON is all that has no rules of its own."""

    COMMON = "common"
    ALAVA = "alava"
    GIPUZKOA = "gipuzkoa"
    BIZKAIA = "bizkaia"
    NAVARRA = "navarra"
    CANARIAS = "canarias"
    CEUTA = "ceuta"
    MELILLA = "melilla"


class SalesTax(StrEnum):
    """Tax on sales of a territory."""

    VAT = "IVA"
    IGIC = "IGIC"
    IPSI = "IPSI"


@dataclass(frozen=True)
class TerritoryRules:
    """Rules of a territory: its tax on sales, who collects that one, and who collects income tax and retentions."""

    sales_tax: SalesTax
    sales_tax_authority: Text
    income_tax_authority: Text

    @property
    def is_foral(self) -> bool:
        """Return True where income tax and VAT are the territory's own: Basque Country and Navarre."""
        return self.sales_tax is SalesTax.VAT and self.income_tax_authority != _AEAT


_AEAT = text(TerritoryMsg.AEAT)


def _foral(authority: TerritoryMsg) -> TerritoryRules:
    return TerritoryRules(SalesTax.VAT, text(authority), text(authority))


RULES: Mapping[Territory, TerritoryRules] = MappingProxyType(
    {
        Territory.COMMON: TerritoryRules(SalesTax.VAT, _AEAT, _AEAT),
        Territory.ALAVA: _foral(TerritoryMsg.ALAVA),
        Territory.GIPUZKOA: _foral(TerritoryMsg.GIPUZKOA),
        Territory.BIZKAIA: _foral(TerritoryMsg.BIZKAIA),
        Territory.NAVARRA: _foral(TerritoryMsg.NAVARRA),
        Territory.CANARIAS: TerritoryRules(SalesTax.IGIC, text(TerritoryMsg.CANARIAS), _AEAT),
        Territory.CEUTA: TerritoryRules(SalesTax.IPSI, text(TerritoryMsg.CEUTA), _AEAT),
        Territory.MELILLA: TerritoryRules(SalesTax.IPSI, text(TerritoryMsg.MELILLA), _AEAT),
    }
)

_BY_PROVINCE: Mapping[str, Territory] = MappingProxyType(
    {
        "01": Territory.ALAVA,
        "20": Territory.GIPUZKOA,
        "31": Territory.NAVARRA,
        "35": Territory.CANARIAS,
        "38": Territory.CANARIAS,
        "48": Territory.BIZKAIA,
        "51": Territory.CEUTA,
        "52": Territory.MELILLA,
    }
)


def territory_of(party: Party) -> Territory | None:
    """Return the territory of a party's address; None abroad, and where neither postal code nor province tells it."""
    code = province_code(party)
    if code is None or code == ABROAD:
        return None
    return _BY_PROVINCE.get(code, Territory.COMMON)
