"""Properties of the VAT forms that hold for any books: order, evidence, rectifications, a year's money."""

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st
from vat_documents import (
    GERMAN,
    SWISS,
    bought,
    compute,
    credit_note,
    ledger,
    line,
    money,
    paid,
    purchase,
    sale,
)

from ledgerkit.providers.api import (
    Amendment,
    Assessment,
    Choice,
    Computation,
    PreviousDeclaration,
    PurchaseKind,
    TaxCategory,
    TaxPeriod,
)
from ledgerkit.providers.es.tax_forms.vat.form_303 import Form303
from ledgerkit.providers.es.tax_forms.vat.form_390 import Form390
from support.sampling import examples

FORM, YEARLY = Form303(), Form390()
QUARTERS = [TaxPeriod(2025, f"Q{number}") for number in range(1, 5)]
YEAR = TaxPeriod(2025, "Y")

days = st.integers(0, 364).map(lambda number: date(2025, 1, 1) + timedelta(days=number))
bases = st.integers(-300_000, 3_000_000).filter(bool).map(lambda cents: str(Decimal(cents) / 100))
rates = st.sampled_from(["0", "4", "10", "21"])
payments = st.lists(st.tuples(days.map(str), st.integers(1, 3_000)), max_size=3)


@st.composite
def sale_lines(draw):
    if draw(st.booleans()):
        rate = draw(rates)
        surcharge = {"4": "0.5", "10": "1.4", "21": "5.2"}.get(rate) if draw(st.booleans()) else None
        return line(draw(bases), rate, surcharge=surcharge, regime_key=draw(st.sampled_from([None, "03", "07"])))
    category = draw(st.sampled_from([one for one in TaxCategory if one is not TaxCategory.STANDARD]))
    return line(draw(bases), category=category)


@st.composite
def sales(draw):
    make = draw(st.sampled_from([sale, credit_note]))
    return make(
        *draw(st.lists(sale_lines(), min_size=1, max_size=3)),
        on=draw(days),
        client=draw(st.sampled_from([GERMAN, SWISS])),
        payments=paid(*draw(payments)),
    )


@st.composite
def purchases(draw):
    day = draw(days)
    lines = [
        bought(draw(bases), draw(rates), draw(st.sampled_from([0, 50, 100])), investment_good=draw(st.booleans()))
        for _ in range(draw(st.integers(1, 3)))
    ]
    kinds = [PurchaseKind.INVOICE, PurchaseKind.CREDIT_NOTE, PurchaseKind.IMPORT, PurchaseKind.SIMPLIFIED]
    kind = draw(st.sampled_from(kinds))
    assessment = Assessment.VENDOR if kind is PurchaseKind.IMPORT else draw(st.sampled_from(list(Assessment)))
    return purchase(
        *lines,
        on=day,
        kind=kind,
        assessment=assessment,
        vendor=GERMAN,
        regime_key=draw(st.sampled_from([None, "07"])) if assessment is Assessment.VENDOR else None,
        payments=paid(*draw(payments)),
    )


books = st.lists(st.one_of(sales(), purchases()), max_size=12)
profiles = st.sampled_from([{}, {"exempt_from_390": True}, {"prorrata": "general", "provisional_percent": 37}])


def filed(period, computation, letter=None):
    return PreviousDeclaration(
        form="303",
        period=period,
        boxes=computation.effective,
        declaration_type=letter or next(iter(computation.declaration_types)),
        submitted=True,
    )


def year_of(documents, **profile) -> list[tuple[TaxPeriod, Computation]]:
    """The four returns of a year, each carried into the next."""
    previous, computed = [], []
    for period in QUARTERS:
        computation = compute(FORM, period, documents, previous=list(previous), **profile)
        previous.append(filed(period, computation))
        computed.append((period, computation))
    return computed


@given(books, st.randoms(use_true_random=False), profiles)
@settings(max_examples=examples(120, 8), deadline=None)
def test_the_order_of_documents_changes_nothing(documents, random, profile):
    shuffled = list(documents)
    random.shuffle(shuffled)

    for period, form in [(QUARTERS[0], FORM), (QUARTERS[3], FORM), (YEAR, YEARLY)]:
        assert compute(form, period, documents, **profile) == compute(form, period, shuffled, **profile)


@given(books, profiles)
@settings(max_examples=examples(120, 8), deadline=None)
def test_evidence_adds_up_to_its_box_and_every_summed_box_has_it(documents, profile):
    for period, form in [(QUARTERS[1], FORM), (QUARTERS[3], FORM), (YEAR, YEARLY)]:
        computation = compute(form, period, documents, **profile)
        boxes = form.boxes(period)
        sums = {key: sum(part.amount for part in parts) for key, parts in computation.evidence.items()}

        assert {key for key in sums if not boxes[key].summed} == set()
        assert {key: amount for key, amount in computation.computed.items() if boxes[key].summed and amount} == {
            key: amount for key, amount in sums.items() if amount
        }


@given(books)
@settings(max_examples=examples(120, 8), deadline=None)
def test_the_returns_of_a_year_hold_every_document_and_add_up_to_its_summary_and_its_money(documents):
    returns = year_of(documents)

    assert_each_is_counted_or_named(documents, [one for _, one in returns])
    assert_they_add_up_to_the_summary(documents, returns)
    assert_compensation_conserves_money(returns)


def assert_each_is_counted_or_named(documents, computations) -> None:
    counted, named = set(), set()
    for computation in computations:
        counted |= computation.counted
        named.update(*(one.document_ids for one in computation.warnings))

    assert {one.document_id for one in documents} - counted - named == set()


def assert_they_add_up_to_the_summary(documents, returns) -> None:
    """Instructions of form 390: 27 of the returns is 47 of the summary, 45 is 64; 14/15 are 29/30."""
    previous = [filed(*one) for one in returns]
    computation = compute(YEARLY, YEAR, documents, previous=previous)
    pairs = [("27", "47"), ("45", "64"), ("14", "29"), ("15", "30"), ("12", "27"), ("13", "28"), ("40", "639")]

    for quarterly, yearly in pairs:
        assert sum(one.effective[quarterly] for _, one in returns) == computation.effective[yearly]
    assert "vat.warn_390_differs" not in {one.code for one in computation.warnings}


def assert_compensation_conserves_money(returns) -> None:
    """Payments of the year, less what its end leaves to compensate, are the sum of the results before compensation."""
    after = compute(FORM, TaxPeriod(2026, "Q1"), previous=[filed(*returns[-1])])

    paid_in = sum(max(Decimal(0), one.result) for _, one in returns)
    assert paid_in - after.effective["110"] == sum(one.effective["66"] for _, one in returns)


@given(books, books)
@settings(max_examples=examples(80), deadline=None)
def test_a_return_and_its_rectification_come_to_the_right_return(first_books, right_books):
    """Paid and refunded twice, or rightly once: the same money moves, and the same is left to compensate."""
    period, following = QUARTERS[3], TaxPeriod(2026, "Q1")
    first = compute(FORM, period, first_books, choice=Choice(declaration_type="D"))
    letter = "D" if "D" in first.declaration_types else None
    amends = Amendment(receipt_number="3031234567890")
    refund = Choice(declaration_type="D")
    second = compute(FORM, period, right_books, previous=[filed(period, first, letter)], amends=amends, choice=refund)
    right = compute(FORM, period, right_books, choice=refund)

    assert first.result + second.result == right.result
    for computation in (second, right):
        kind = "D" if "D" in computation.declaration_types else None
        carried = compute(FORM, following, previous=[filed(period, computation, kind)])
        assert carried.effective["110"] == 0


@given(st.integers(1, 100_000), st.lists(st.tuples(days.map(str), st.integers(1, 700)), max_size=6))
@settings(max_examples=examples(120, 8), deadline=None)
def test_cash_accounting_accrues_the_whole_quota_once(cents, collected):
    base = str(Decimal(cents) / 100)
    document = sale(line(base, regime_key="07"), payments=paid(*collected))
    periods = [TaxPeriod(year, f"Q{number}") for year in (2025, 2026, 2027) for number in range(1, 5)]

    quotas = [compute(FORM, period, [document]).effective["09"] for period in periods]

    assert sum(quotas) == document.taxes[0].amount
    assert min(quotas) >= 0


@given(st.lists(st.integers(1, 999_999), min_size=1, max_size=8))
def test_evidence_adds_up_where_amounts_are_finer_than_cents(tenths_of_cents):

    documents = [sale(replace(line("1"), amount=Decimal(one) / 1000)) for one in tenths_of_cents]

    computation = compute(FORM, TaxPeriod(2026, "Q1"), documents)

    assert sum(part.amount for part in computation.evidence.get("09", ())) == computation.effective["09"]
    assert computation.effective["09"] == money(
        (Decimal(sum(tenths_of_cents)) / 1000).quantize(Decimal("0.01"), "ROUND_HALF_UP")
    )


def test_an_empty_ledger_computes():
    assert compute(FORM, QUARTERS[0], ledger=ledger([])).result == 0
