"""Places as taxes know them: countries, provinces of Spain, and its tax territories with who collects what.

- Basque Country: Ley 12/2002 (Concierto Económico), arts. 6, 7, 15, 22 and 26 to 29: each of its three territories
  raises income tax, its retentions and instalments, and VAT by its own rules.
- Navarre: Ley 28/1990 (Convenio Económico), arts. 8 to 14, 18 to 23 and 32 to 34: the same for that community.
- Canary Islands: Ley 20/1991: IGIC in the place of VAT (Ley 37/1992, art. 3). Income tax is the State's.
- Ceuta and Melilla: Ley 8/1991: IPSI in the place of VAT (Ley 37/1992, art. 3). Income tax is the State's, with
  the deduction of Ley 35/2006, art. 68.4.
"""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from ledgerkit.providers.api import Party
from ledgerkit.providers.es.messages import TerritoryMsg
from ledgerkit.texts import Text, text

ABROAD = "99"

_NAMES = """
01 Álava/Araba 02 Albacete 03 Alicante/Alacant 04 Almería 05 Ávila 06 Badajoz 07 Illes Balears/Islas Baleares/Baleares
08 Barcelona 09 Burgos 10 Cáceres 11 Cádiz 12 Castellón/Castelló 13 Ciudad Real 14 Córdoba 15 A Coruña/La Coruña/Coruña
16 Cuenca 17 Girona/Gerona 18 Granada 19 Guadalajara 20 Gipuzkoa/Guipúzcoa 21 Huelva 22 Huesca 23 Jaén 24 León
25 Lleida/Lérida 26 La Rioja/Rioja 27 Lugo 28 Madrid 29 Málaga 30 Murcia 31 Navarra 32 Ourense/Orense 33 Asturias
34 Palencia 35 Las Palmas 36 Pontevedra 37 Salamanca 38 Santa Cruz de Tenerife/Tenerife 39 Cantabria 40 Segovia
41 Sevilla 42 Soria 43 Tarragona 44 Teruel 45 Toledo 46 Valencia/València 47 Valladolid 48 Bizkaia/Vizcaya 49 Zamora
50 Zaragoza 51 Ceuta 52 Melilla
"""
_HIGHEST = 52
_OUTSIDE_OF_THE_IVA = frozenset({"35", "38", "51", "52"})
_FORAL = frozenset({"01", "20", "31", "48"})


def province_code(party: Party) -> str | None:
    """Return the code of a party's province: 99 abroad; None where neither postal code nor province gives it."""
    if party.country != "ES":
        return ABROAD
    digits = (party.postal_code or "").strip()
    if len(digits) == 5 and digits.isdecimal() and 1 <= int(digits[:2]) <= _HIGHEST:
        return digits[:2]
    return _PROVINCES.get(_folded(party.province or ""))


def is_outside_of_the_iva(party: Party) -> bool:
    """Return True for a party in the Canary Islands, Ceuta or Melilla (Ley 37/1992, art. 3.Dos)."""
    return province_code(party) in _OUTSIDE_OF_THE_IVA


def is_foral(party: Party) -> bool:
    """Return True for a party in the Basque Country or Navarre, which have income taxes of their own."""
    return province_code(party) in _FORAL


def _folded(name: str) -> str:
    letters = unicodedata.normalize("NFKD", name.casefold())
    return " ".join("".join(letter for letter in letters if not unicodedata.combining(letter)).split())


def _codes() -> Mapping[str, str]:
    codes: dict[str, str] = {}
    code, words = "", list[str]()
    for word in [*_NAMES.split(), "00"]:
        if not word.isdecimal():
            words.append(word)
            continue
        codes |= {_folded(name): code for name in " ".join(words).split("/") if name}
        code, words = word, []
    return codes


_PROVINCES = _codes()
"""Codes by the names of provinces, without accents and in lower case."""


_COUNTRIES = """
AF AL DE AD AO AI AQ AG SA DZ AR AM AW AU AT AZ BS BH BD BB BE BZ BJ BM BY BO BA BW BV BR BN BG BF BI BT
CV KY KH CM CA CF CC CO KM CG CD CK KP KR CI CR HR CU TD CZ CL CN CY CW DK DM DO EC EG AE ER SK SI ES US
EE ET FO PH FI FJ FR GA GM GE GS GH GI GD GR GL GU GT GG GN GQ GW GY HT HM HN HK HU IN ID IR IQ IE IM IS
IL IT JM JP JE JO KZ KE KG KI KW LA LS LV LB LR LY LI LT LU XG MO MK MG MY MW MV ML MT FK MP MA MH MU MR
YT UM MX FM MD MC MN ME MS MZ MM NA NR CX NP NI NE NG NU NF NO NC NZ IO OM NL BQ PK PW PA PG PY PE PN PF
PL PT PR QA GB RW RO RU RE SB SV WS AS KN SM SX PM VC SH LC ST SN RS SC SL SG SY SO LK SZ ZA SD SS SE CH
SR TH TW TZ TJ PS TF TL TG TK TO TT TN TC TM TR TV UA UG UY UZ VU VA VE VN VG VI WF YE DJ ZM ZW QU XB XU
XN
"""
COUNTRIES = frozenset(_COUNTRIES.split())
"""Codes of countries of the tax agency's list: those of ISO 3166 without some, as Kosovo's, and a few of its own.

Source: AEAT, SuministroInformacion.xsd, CountryType2.
"""


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
    """Rules of a territory: its tax on sales, who collects that tax, and who collects income tax and retentions."""

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
    """Return the territory of a party's address; None abroad, and where neither postal code nor province gives it."""
    code = province_code(party)
    if code is None or code == ABROAD:
        return None
    return _BY_PROVINCE.get(code, Territory.COMMON)
