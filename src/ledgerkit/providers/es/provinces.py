"""Codes of the Spanish provinces, which are the first two digits of their postal codes (INE)."""

import unicodedata
from collections.abc import Mapping

from ledgerkit.providers.api import Party

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


def province_code(party: Party) -> str | None:
    """Return the code of a party's province: 99 abroad, None where neither postal code nor province tells it."""
    if party.country != "ES":
        return ABROAD
    digits = (party.postal_code or "").strip()
    if len(digits) == 5 and digits.isdecimal() and 1 <= int(digits[:2]) <= _HIGHEST:
        return digits[:2]
    return _CODES.get(_folded(party.province or ""))


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


_CODES = _codes()
