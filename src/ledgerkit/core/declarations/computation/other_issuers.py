"""Documents of another tax identifier in a declaration, which the team had when it issued them."""

from collections.abc import Collection, Sequence

from ledgerkit.core.declarations.forms import installed as forms
from ledgerkit.core.declarations.table import WARNINGS, DeclarationRow, StoredWarning
from ledgerkit.core.declarations.texts import DeclarationsMsg
from ledgerkit.providers.api import Ledger, Sale
from ledgerkit.texts import text

CODE = "other_issuer"
_NAMED = 10
"""Documents that a warning names in words; it has the ids of all."""


def warnings(ledger: Ledger, declared: Collection[str]) -> Sequence[StoredWarning]:
    """Return a warning for each tax identifier, other than the owner's, of which the declaration has documents.

    The books do not show whether they belong here. Another taxpayer declares its own sales (for example a person whose
    business became a company); a taxpayer whose number alone has changed continues under the new number.
    """
    of_others: dict[str, list[Sale]] = {}
    for sale in ledger.sales:
        if sale.issuer_tax_id is not None and sale.document_id in declared:
            of_others.setdefault(sale.issuer_tax_id, []).append(sale)
    return [_warning(ledger, tax_id, sales) for tax_id, sales in of_others.items()]


def warnings_now(row: DeclarationRow, computed: Sequence[StoredWarning]) -> Sequence[StoredWarning]:
    """Return the warnings in `computed` that a draft lacks because its account has changed its tax identifier since."""
    if row.status != "draft" or any(warning.code == CODE for warning in WARNINGS.decode(row.warnings)):
        return ()
    return [warning for warning in computed if warning.code == CODE]


def _warning(ledger: Ledger, tax_id: str, sales: Sequence[Sale]) -> StoredWarning:
    numbers = [sale.number for sale in sales]
    words = text(
        DeclarationsMsg.OTHER_ISSUER,
        count=len(sales),
        listed=", ".join(numbers if len(numbers) <= _NAMED else [*numbers[:_NAMED], "…"]),
        tax_id=tax_id,
        owner=ledger.owner.tax_id or "-",
    )
    ids = tuple(sale.document_id for sale in sales)
    return StoredWarning(code=CODE, message=forms.wordings(words), document_ids=ids)
