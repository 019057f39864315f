"""Checks of the instalments of income tax: the last 130 of a year, which is cumulative, against the record books.

Sources: RD 439/2007 (RIRPF), art. 110.1 (income and costs since January); Orden HAC/773/2019, arts. 2 to 6 (books).
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal

from ledgerkit.money import ZERO
from ledgerkit.providers.api import CheckInput, CheckSide, CheckTerm, CrossCheck, Ledger, RecordBook, TaxPeriod
from ledgerkit.providers.es.books import BOOKS, columns
from ledgerkit.providers.es.cross_checks import declared
from ledgerkit.providers.es.cross_checks.messages import CrossCheckMsg, RemedyMsg, SideMsg
from ledgerkit.providers.es.tax_forms.income.form_130 import Form130
from ledgerkit.providers.es.tax_forms.income.instalment_tables import provision
from ledgerkit.providers.es.tax_forms.income.instalments import COSTS, FARM_INCOME, INCOME
from ledgerkit.providers.es.tax_forms.official_form import profile_in
from ledgerkit.providers.es.tax_forms.profile import EstimationMode, Prorrata
from ledgerkit.providers.es.tax_forms.vat.form_303 import Form303
from ledgerkit.texts import text

_130, _303 = Form130(), Form303()
_ADJUSTMENT = "44"
_ISSUED, _RECEIVED, _INVESTMENT = BOOKS
_ROUNDING = Decimal("0.50")
"""A form rounds the cost of a document, its book that of each rate."""


def _income(year: CheckInput) -> tuple[CheckSide, CheckSide]:
    """Compare the income; each quarter declares that of farming for itself."""
    declaration = _form((*_last_quarter(year, INCOME), *_farming(year)))
    if year.ledger is None:
        return declaration, _books()
    return declaration, _books(_term(year, SideMsg.ISSUED_BOOK, _sum(year, year.ledger, _ISSUED, "income")))


def _costs(year: CheckInput) -> tuple[CheckSide, CheckSide]:
    """Compare the deductible costs; who pays by farming income alone declares none."""
    if year.ledger is None:
        return _form(_last_quarter(year, COSTS)), _books()
    if _farming(year) and not _form(_last_quarter(year, INCOME)).amount:
        return _form(()), _books()
    received = _sum(year, year.ledger, _RECEIVED, "cost")
    depreciation = _sum(year, year.ledger, _INVESTMENT, "depreciation")
    books = _books(
        _term(year, SideMsg.RECEIVED_BOOK, received),
        _term(year, SideMsg.INVESTMENT_BOOK, depreciation),
        *_adjustment(year),
    )
    net_income = _sum(year, year.ledger, _ISSUED, "income") - (books.amount or ZERO)
    return _form(_last_quarter(year, COSTS)), _books(*books.terms, *_provision(year, net_income))


def _last_quarter(year: CheckInput, box: str) -> Sequence[CheckTerm]:
    return [term for term in declared.boxes_of(year, _130, box).terms if term.period.is_last_of_year]


def _farming(year: CheckInput) -> Sequence[CheckTerm]:
    return [term for term in declared.boxes_of(year, _130, FARM_INCOME).terms if term.amount]


def _adjustment(year: CheckInput) -> Sequence[CheckTerm]:
    """Return the adjustment of the year's VAT by the final prorrata, which is less cost and in no book."""
    if profile_in(year.profile, TaxPeriod(year.year, "Y")).prorrata is not Prorrata.GENERAL:
        return ()
    last = [term for term in declared.boxes_of(year, _303, _ADJUSTMENT).terms if term.period.is_last_of_year]
    return [
        replace(declaration, amount=None if declaration.amount is None else -declaration.amount) for declaration in last
    ]


def _provision(year: CheckInput, net_income: Decimal) -> Sequence[CheckTerm]:
    """Return the provision for costs that are hard to justify, which no book holds (RIRPF, art. 30.2.4)."""
    if profile_in(year.profile, TaxPeriod(year.year, "Y")).estimation is not EstimationMode.SIMPLIFIED:
        return ()
    return (_term(year, SideMsg.PROVISION, provision(net_income, date(year.year, 12, 31))),)


def _form(terms: Sequence[CheckTerm]) -> CheckSide:
    return CheckSide(name=text(SideMsg.FORM, form=_130.code), terms=tuple(terms))


def _books(*terms: CheckTerm) -> CheckSide:
    return CheckSide(name=text(SideMsg.BOOKS), terms=terms)


def _term(year: CheckInput, name: SideMsg, amount: Decimal) -> CheckTerm:
    return CheckTerm(period=TaxPeriod(year.year, "Y"), name=text(name), amount=amount)


def _sum(year: CheckInput, ledger: Ledger, book: RecordBook, column: str) -> Decimal:
    """Return the sum of a column of a book; its cells are empty where the account keeps no books of income tax."""
    names = {"issued": columns.ISSUED, "received": columns.RECEIVED, "investment": columns.investment(year.year)}
    place = list(names[book.key]).index(column)
    cells = (row[place] for row in book.rows(ledger, year.profile))
    return sum((cell for cell in cells if isinstance(cell, Decimal)), ZERO)


CHECKS = tuple(
    CrossCheck(
        code=code,
        title=text(title),
        source="RD 439/2007, art. 110.1; Orden HAC/773/2019, arts. 2-6",
        remedy=text(RemedyMsg.INSTALMENT),
        forms=(_130.code, _303.code),
        sides=sides,
        tolerance=_ROUNDING,
        ledger_for=(_130.code,),
    )
    for code, title, sides in (
        ("130_books_income", CrossCheckMsg.INCOME, _income),
        ("130_books_costs", CrossCheckMsg.DEDUCTIBLE_COSTS, _costs),
    )
)
