"""Warnings of the VAT forms about documents and the profile: what the taxpayer has to look at before filing."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from functools import cache

from ledgerkit.money import ZERO
from ledgerkit.providers.api import (
    Box,
    DateSpan,
    DeclarationWarning,
    DocumentKind,
    FormInput,
    Ledger,
    Omission,
    Purchase,
    PurchaseKind,
    PurchaseTax,
    TaxCategory,
    TaxLine,
)
from ledgerkit.providers.es import foreign_vat, rates
from ledgerkit.providers.es.tax_forms.messages import VatMsg
from ledgerkit.providers.es.tax_forms.profile import EstimationMode, Prorrata, SpanishTaxProfile, spanish
from ledgerkit.providers.es.tax_forms.records import cash_accounting, issued_rows
from ledgerkit.providers.es.tax_forms.sheet import Values
from ledgerkit.providers.es.tax_forms.vat.operations import SaleKind, sale_kind
from ledgerkit.texts import MessageId, text

_OTHER_RATES = frozenset({"17", "19"})
"""Keys of the one-stop shop, with rates of other member states, and of farming, with a compensation."""

_INVESTMENT_GOOD = Decimal("3005.06")
"""Least value of an investment good of the VAT in euro, without VAT (Ley 37/1992, art. 108.Dos.5.º)."""

_YEARS_TO_DEDUCT = 4
"""Ley 37/1992, art. 100: the right to deduct ends four years after it has arisen."""


def warning(message: MessageId, documents: Iterable[str] = (), **values: object) -> DeclarationWarning:
    """Return a warning whose code is the id of its text."""
    return DeclarationWarning(code=str(message), message=text(message, **values), document_ids=tuple(sorted(documents)))


def about_documents(ledger: Ledger, span: DateSpan) -> Iterator[DeclarationWarning]:
    """Yield warnings about documents that are counted with a doubt, and about those that could not be."""
    omitted = [
        document.document_id
        for document in ledger.omitted
        if document.reason is Omission.FOREIGN_CURRENCY and (document.issue_date is None or document.issue_date in span)
    ]
    if omitted:
        yield warning(VatMsg.WARN_FOREIGN_CURRENCY, omitted)
    yield from _about_rates(ledger, span)
    deducted = [
        purchase
        for purchase in ledger.purchases
        if purchase.deduction_date in span and any(_is_deducted(purchase, line) for line in purchase.taxes)
    ]
    simplified = [purchase.document_id for purchase in deducted if purchase.kind is PurchaseKind.SIMPLIFIED]
    if simplified:
        yield warning(VatMsg.WARN_SIMPLIFIED_DEDUCTED, simplified)
    expired = [
        purchase.document_id
        for purchase in deducted
        if purchase.deduction_date > _last_day_to_deduct(purchase.operation_date or purchase.issue_date)
    ]
    if expired:
        yield warning(VatMsg.WARN_DEDUCTION_EXPIRED, expired)
    yield from _about_small_and_large(deducted)
    yield from _about_rates_bought(deducted)


def _is_deducted(purchase: Purchase, line: PurchaseTax) -> bool:
    return bool(line.deductible_tax) and not foreign_vat.is_certain(purchase, line)


def _about_rates_bought(deducted: Sequence[Purchase]) -> Iterator[DeclarationWarning]:
    """Yield warnings about IVA of vendors abroad without a Spanish NIF, and about rates that the IVA did not have."""
    lines = [(one, line) for one in deducted for line in one.taxes if _is_deducted(one, line)]
    abroad = {purchase.document_id for purchase, _ in lines if foreign_vat.is_charged_abroad(purchase)}
    if abroad:
        yield warning(VatMsg.WARN_FOREIGN_VENDOR, abroad)
    strange = {purchase.document_id for purchase, line in lines if foreign_vat.has_strange_rate(purchase, line)}
    if strange:
        yield warning(VatMsg.WARN_PURCHASE_RATE, strange)


def _about_small_and_large(deducted: Sequence[Purchase]) -> Iterator[DeclarationWarning]:
    """Yield warnings about goods that are called investment goods below the limit, and assets that are not above it."""
    lines = [
        (purchase.document_id, abs(line.base) >= _INVESTMENT_GOOD, line)
        for purchase in deducted
        for line in purchase.taxes
    ]
    small = {document for document, large, line in lines if line.investment_good and not large}
    if small:
        yield warning(VatMsg.WARN_INVESTMENT_GOOD_SMALL, small)
    unsaid = {document for document, large, line in lines if large and line.is_asset and not line.investment_good}
    if unsaid:
        yield warning(VatMsg.WARN_INVESTMENT_GOOD_UNSAID, unsaid)


def about_exempt_sales(form_input: FormInput, state: SpanishTaxProfile, deducted: Decimal) -> list[DeclarationWarning]:
    """Warn of sales without the right to deduct if the account has no prorrata (LIVA, arts. 94 and 102)."""
    if state.prorrata is not Prorrata.NONE or deducted <= ZERO:
        return []
    span, cash_on = form_input.period.span, cash_accounting(spanish(form_input.profile))
    exempt = [
        sale.document_id
        for sale in form_input.ledger.sales
        if any(line.category is TaxCategory.EXEMPT for line in sale.taxes)
        and any(row.vat_date in span and sale_kind(row) is SaleKind.EXEMPT for row in issued_rows(sale, cash_on))
    ]
    return [warning(VatMsg.WARN_EXEMPT_WITHOUT_PRORRATA, exempt, deducted=deducted)] if exempt else []


def _about_rates(ledger: Ledger, span: DateSpan) -> Iterator[DeclarationWarning]:
    """Yield a warning about sales at a rate of other days; corrections state that of their original."""
    of_some_day = {rate.percent for rate in rates.RATES}
    out_of_force = cache(lambda day: of_some_day - {rate.percent for rate in rates.in_force(day)})
    strange = [
        sale.document_id
        for sale in ledger.sales
        if (day := sale.operation_date or sale.issue_date) in span
        and sale.kind is not DocumentKind.CREDIT_NOTE
        and any(line.rate in out_of_force(day) and _at_own_rate(line) for line in sale.taxes)
    ]
    if strange:
        yield warning(VatMsg.WARN_RATE_NOT_IN_FORCE, strange)


def _at_own_rate(line: TaxLine) -> bool:
    """Return True for a line at a rate of the common territory: not of the one-stop shop, nor of another tax."""
    return line.category is TaxCategory.STANDARD and line.tax is None and line.regime_key not in _OTHER_RATES


def about_investment_goods(form_input: FormInput, state: SpanishTaxProfile) -> Iterator[DeclarationWarning]:
    """Yield a warning in the last period for investment goods of earlier years that were deducted by prorrata.

    Their deduction is adjusted if the percent has moved by more than ten points (LIVA, art. 107).
    """
    if state.prorrata is Prorrata.NONE or not form_input.period.is_last_of_year:
        return
    earlier = {
        purchase.document_id
        for purchase in (*form_input.ledger.earlier_investments, *form_input.ledger.purchases)
        if purchase.deduction_date.year < form_input.period.year
        and any(line.investment_good for line in purchase.taxes)
    }
    if earlier:
        yield warning(VatMsg.WARN_INVESTMENT_GOODS, earlier)


def about_profile(state: SpanishTaxProfile) -> Iterator[DeclarationWarning]:
    """Yield warnings about the profile on the last day of the period."""
    if state.prorrata is Prorrata.GENERAL and state.provisional_percent is None:
        yield warning(VatMsg.WARN_PRORRATA_PERCENT)
    if state.prorrata is Prorrata.SPECIAL:
        yield warning(VatMsg.WARN_PRORRATA_SPECIAL)
    if state.estimation is EstimationMode.MODULES:
        yield warning(VatMsg.WARN_MODULES)
    if state.surcharge_regime:
        yield warning(VatMsg.WARN_SURCHARGE_REGIME)


def about_signs(values: Values, boxes: Mapping[str, Box]) -> Iterator[DeclarationWarning]:
    """Yield a warning about boxes below zero that have no sign in the file."""
    below = [key for key, box in boxes.items() if not box.signed and values[key] < 0]
    if below:
        yield warning(VatMsg.WARN_UNSIGNED_BELOW_ZERO, boxes=", ".join(below))


def _last_day_to_deduct(accrual: date) -> date:
    """Return the day four years later; of 29 February, the last of February."""
    year = accrual.year + _YEARS_TO_DEDUCT
    return date(year, accrual.month, min(accrual.day, 28) if accrual.month == 2 else accrual.day)
