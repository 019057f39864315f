"""Mark of a bank account by the payment area that it belongs to.

Source: AEAT, record design of model 303, page DID00, note 2: 1 Spain, 2 European Union (SEPA), 3 other countries.
"""

from ledgerkit.providers.es.tax_ids import MEMBER_STATES


def sepa_mark(iban: str) -> str:
    """Return the mark of the account with an IBAN."""
    country = iban.strip()[:2].upper()
    if country == "ES":
        return "1"
    return "2" if country in MEMBER_STATES else "3"
