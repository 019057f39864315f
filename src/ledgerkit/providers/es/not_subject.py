"""Reasons why an operation is not subject to the tax: stated by its line, or certain without a statement.

The client's country tells nothing: a debt of damages is not subject wherever the client is, and so is a service that
the law places abroad though its client is Spanish.
Source: AEAT, record design, list L9 (N1: articles 7, 14 and others; N2: rules of place); Ley 37/1992, arts. 7, 14, 68
to 70; validations 1.2.2, rules 1205, 1252 and 1293.
"""

from collections.abc import Mapping
from types import MappingProxyType

from ledgerkit.providers.api import TaxLine
from ledgerkit.providers.es.territories import COUNTRIES

ARTICLE_7, ARTICLE_14, OTHER, LOCATION_RULES = "article_7", "article_14", "other", "location_rules"

REASONS: Mapping[str, str] = MappingProxyType(
    {
        ARTICLE_7: "Not subject by art. 7 of Ley 37/1992 (transfer of a business, samples, public bodies...)",
        ARTICLE_14: "Not subject by art. 14 of Ley 37/1992 (some acquisitions from other member states)",
        OTHER: "Not subject by another rule, or no consideration for an operation (damages...)",
        LOCATION_RULES: "Supplied elsewhere by the rules of place (arts. 68 to 70 of Ley 37/1992)",
    }
)

_ONE_STOP_SHOP, _OTHER_TERRITORY, _COLLECTED_FOR_OTHERS, _SUBJECT_TO_IPSI = "17", "08", "10", "20"


def reason(line: TaxLine, place_of_supply: str | None) -> str | None:
    """Return the key of `REASONS` for a line that is not subject; None when neither line nor place tells it for sure.

    Sure are the regimes that are of one kind only, and a place of supply (ISO 3166 code) that is not Spain.
    """
    if line.not_subject_reason is not None:
        return line.not_subject_reason
    if line.regime_key == _COLLECTED_FOR_OTHERS:
        return OTHER
    return LOCATION_RULES if _of_another_territory(line) or _abroad(place_of_supply) else None


def _of_another_territory(line: TaxLine) -> bool:
    """Return True for an operation in the one-stop shop, or under another of the taxes of Spain's territories."""
    shop = line.tax is None and line.regime_key == _ONE_STOP_SHOP
    islands = line.tax == "IGIC" and line.regime_key == _SUBJECT_TO_IPSI
    return shop or islands or line.regime_key == _OTHER_TERRITORY


def _abroad(place_of_supply: str | None) -> bool:
    """Return True for a place abroad that is sure: free text tells none."""
    code = (place_of_supply or "").strip().upper()
    return code != "ES" and code in COUNTRIES
