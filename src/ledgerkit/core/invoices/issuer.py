"""The issuer as an issued document keeps it, whatever the account becomes later."""

from typing import Any

from ledgerkit.core.request.context import AccountProfile

_ISSUER = (
    "name",
    "company",
    "country",
    "tax_id",
    "address",
    "postal_code",
    "city",
    "province",
    "email",
    "phone",
)


def issuer_copy(account: AccountProfile) -> dict[str, Any]:
    """Return the account's name, number and address for an issued document."""
    return {name: getattr(account, name) for name in _ISSUER}
