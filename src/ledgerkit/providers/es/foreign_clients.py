"""Doubts about the IVA of businesses abroad: charged at home, where their operations are mostly taxed elsewhere.

Only a doubt: services about land, events or transport of persons, and goods that stay in Spain, are taxed here.
Source: Ley 37/1992, arts. 21 (export), 25 (intra-Community supply) and 69.Uno.1 (services to a business: where it is).
"""

from collections.abc import Sequence

from ledgerkit.providers.api import DraftFacts, TaxCategory, TaxDoubt, TaxLine
from ledgerkit.providers.es.messages import SpainMsg
from ledgerkit.texts import text

CODE = "FOREIGN_BUSINESS_DOMESTIC_VAT"

_SPAIN = "ES"
_EU = frozenset(
    {
        *("AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "EL", "FI", "FR", "GR", "HR", "HU"),
        *("IE", "IT", "LT", "LU", "LV", "MT", "NL", "PL", "PT", "RO", "SE", "SI", "SK"),
    }
)
"""Other member states; Greece by both its codes. Northern Ireland (XI) is one for goods only and is not told apart."""

_GENERAL_REGIMES = frozenset({None, "01"})
"""Regimes that say nothing of a special scheme: margin, one-stop shop and others tax in their own way."""


def doubts(facts: DraftFacts) -> Sequence[TaxDoubt]:
    """Return the doubt about a foreign business that is charged IVA, or a standard rate of zero; none otherwise.

    A business is whoever is named with a tax number; a passport or another document is a person's.
    """
    recipient = facts.recipient
    if recipient is None or not recipient.tax_id or recipient.tax_id_kind or recipient.country == _SPAIN:
        return ()
    rates = sorted({line.rate for line in facts.taxes if is_general(line)})
    if not rates:
        return ()
    listed = ", ".join(f"{rate.normalize():f} %" for rate in rates)
    message = SpainMsg.EU_BUSINESS_TAXED if recipient.country in _EU else SpainMsg.THIRD_COUNTRY_BUSINESS_TAXED
    return (TaxDoubt(CODE, text(message, country=recipient.country, rates=listed)),)


def is_general(line: TaxLine) -> bool:
    """Return True for a line that is charged IVA under no special scheme, at whatever rate."""
    is_vat = line.tax is None and line.category is TaxCategory.STANDARD
    return is_vat and line.regime_key in _GENERAL_REGIMES
