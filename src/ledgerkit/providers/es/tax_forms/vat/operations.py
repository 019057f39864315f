"""Kind of operation that a row of the record books is, for all boxes of forms 303 and 390.

Source: AEAT, conditions by which its own draft of form 303 reads the record books; instructions of forms 303 and 390.
"""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from ledgerkit.money import ZERO
from ledgerkit.providers.api import Assessment, PurchaseKind
from ledgerkit.providers.es.operations import VAT
from ledgerkit.providers.es.tax_forms.messages import UnboxedMsg
from ledgerkit.providers.es.tax_forms.records import FARMERS, IssuedRow, ReceivedRow, has_vat_number


class SaleKind(StrEnum):
    """Operation of an issued row, as the boxes distinguish them."""

    TAXED = "taxed"
    REVERSE_CHARGE = "reverse_charge"
    INTRA_EU = "intra_eu"
    EXPORT = "export"
    ELSEWHERE = "elsewhere"
    SHOP_TAXED = "shop_taxed"
    SHOP_ELSEWHERE = "shop_elsewhere"
    EXEMPT = "exempt"
    NOT_SUBJECT = "not_subject"
    SIMPLIFIED_REGIME = "simplified_regime"
    FARMING_REGIME = "farming_regime"
    RETAILERS = "retailers"
    """Sale of a retailer under the equivalence surcharge."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Rule:
    """Condition of a kind: one of the codes (qualification or exemption) and one of the keys; None means any."""

    kind: SaleKind
    codes: Collection[str]
    keys: Collection[str] | None
    with_vat_number: bool | None = None

    def is_for(self, code: str | None, key: str) -> bool:
        return code in self.codes and (self.keys is None or key in self.keys)

    def holds(self, row: IssuedRow) -> bool:
        """Return True for a row, of which the rule is for its code and key."""
        return self.with_vat_number is None or has_vat_number(row.sale.client) is self.with_vat_number


_EVERY_CODE = ("S1", "S2", "N1", "N2", "E1", "E2", "E3", "E4", "E5", "E6")
_RULES = (
    _Rule(kind=SaleKind.RETAILERS, codes=_EVERY_CODE, keys={"18"}),
    _Rule(kind=SaleKind.FARMING_REGIME, codes=_EVERY_CODE, keys={"19"}),
    _Rule(kind=SaleKind.SIMPLIFIED_REGIME, codes=_EVERY_CODE, keys={"20"}),
    _Rule(kind=SaleKind.SHOP_TAXED, codes={"S1"}, keys={"17"}),
    _Rule(kind=SaleKind.SHOP_ELSEWHERE, codes={"N2"}, keys={"17"}),
    _Rule(kind=SaleKind.TAXED, codes={"S1"}, keys={"01", "03", "05", "07", "09", "11", "12", "13", "15"}),
    _Rule(kind=SaleKind.REVERSE_CHARGE, codes={"S2"}, keys={"01", "09", "11", "12", "13", "15"}),
    _Rule(kind=SaleKind.INTRA_EU, codes={"E5", "E6"}, keys={"01", "15"}, with_vat_number=True),
    _Rule(kind=SaleKind.INTRA_EU, codes={"N2"}, keys={"01", "09", "11", "12", "13", "15"}, with_vat_number=True),
    _Rule(kind=SaleKind.ELSEWHERE, codes={"N2"}, keys={"01", "03", "05", "08", "09", "11", "12", "13", "15"}),
    _Rule(kind=SaleKind.EXPORT, codes={"E2", "E3", "E4"}, keys={"01", "02", "05"}),
    _Rule(kind=SaleKind.EXPORT, codes={"E6"}, keys={"02", "05"}),
    _Rule(kind=SaleKind.EXEMPT, codes={"E1", "E6"}, keys=None),
    _Rule(kind=SaleKind.NOT_SUBJECT, codes={"N1"}, keys=None),
)
"""The first rule that holds decides."""

WITH_RIGHT = frozenset(
    {
        SaleKind.TAXED,
        SaleKind.REVERSE_CHARGE,
        SaleKind.INTRA_EU,
        SaleKind.EXPORT,
        SaleKind.ELSEWHERE,
        SaleKind.SHOP_TAXED,
        SaleKind.SHOP_ELSEWHERE,
    }
)
"""Operations with the right to deduct (Ley 37/1992, art. 94)."""


def sale_kind(row: IssuedRow) -> SaleKind | UnboxedMsg:
    """Return the kind of an issued row, or the reason why it has none.

    The supply after a triangular acquisition takes place where the goods arrive (`providers.es.operations`). It is no
    supply from this country to another member state, even if the buyer has a number there: box 120, not 59.
    """
    if row.tax != VAT:
        return UnboxedMsg.ANOTHER_TAX
    if row.sale.triangular and (row.exemption == "E5" or row.qualification == "N2"):
        return SaleKind.ELSEWHERE
    for rule in _rules_for(row.qualification or row.exemption, row.key):
        if rule.holds(row):
            return rule.kind
    return UnboxedMsg.NO_VAT_NUMBER if row.exemption == "E5" else UnboxedMsg.REGIME_APART


@lru_cache(maxsize=256)
def _rules_for(code: str | None, key: str) -> tuple[_Rule, ...]:
    return tuple(rule for rule in _RULES if rule.is_for(code, key))


class Source(StrEnum):
    """Origin of the deduction of a received row, as the boxes distinguish them."""

    DOMESTIC = "domestic"
    IMPORT = "import"
    INTRA_EU_GOODS = "intra_eu_goods"
    INTRA_EU_SERVICES = "intra_eu_services"
    FARMERS = "farmers"


_OUTSIDE = frozenset({"03", "05"})
"""Keys under which the vendor's VAT is never deductible: its margin is taxed (Ley 37/1992, arts. 139 and 146)."""

_ASSESSED = {
    Assessment.VENDOR: Source.DOMESTIC,
    Assessment.REVERSE_CHARGE: Source.DOMESTIC,
    Assessment.INTRA_EU_GOODS: Source.INTRA_EU_GOODS,
    Assessment.INTRA_EU_SERVICES: Source.INTRA_EU_SERVICES,
}


def source(row: ReceivedRow) -> Source | UnboxedMsg:
    """Return the origin of what a row lets deduct, or the reason why it lets deduct nothing."""
    refusals = (
        (UnboxedMsg.NO_INVOICE, row.purchase.kind is PurchaseKind.NO_INVOICE),
        (UnboxedMsg.TRIANGULAR, row.purchase.triangular),
        (UnboxedMsg.NO_TAX, row.amounts.quota == ZERO),
        (UnboxedMsg.FOREIGN_VAT, row.foreign and any(line.deductible_tax for line in row.purchase.taxes)),
        (UnboxedMsg.NO_DEDUCTION, row.deductible.quota == ZERO),
        (UnboxedMsg.REGIME_APART, row.key in _OUTSIDE and not row.self_assessed),
    )
    reason = next((message for message, holds in refusals if holds), None)
    if reason is not None:
        return reason
    if row.key == FARMERS:
        return Source.FARMERS
    return Source.IMPORT if row.purchase.kind is PurchaseKind.IMPORT else _ASSESSED[row.purchase.assessment]


def owed_by_buyer(row: ReceivedRow) -> bool:
    """Return True for a row of which the buyer owes VAT; a triangular acquisition is exempt (art. 26.Tres).

    An intra-EU acquisition at 0 % counts with its base. VAT of imports is assessed by customs.
    """
    outside = row.purchase.triangular or row.purchase.kind in {PurchaseKind.NO_INVOICE, PurchaseKind.IMPORT}
    return row.self_assessed and not outside and bool(row.amounts.quota or (row.intra_eu and row.amounts.base))
