"""The arithmetic of a document holds for any lines."""

from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from ledgerkit.core.platform.documents.totals import Line, Totals, total
from ledgerkit.money import RoundingPolicy
from ledgerkit.providers.api import TaxCategory

CENT = Decimal("0.01")
DOCUMENT, LINE = RoundingPolicy(per="document"), RoundingPolicy(per="line")


def decimals(low: str, high: str, places: int):
    return st.decimals(low, high, allow_nan=False, allow_infinity=False, places=places)


@st.composite
def lines(draw, *, negative: bool = True) -> Line:
    category = draw(st.sampled_from(TaxCategory))
    standard = category is TaxCategory.STANDARD
    rate, surcharges = draw(st.sampled_from([("21", "5.2"), ("10", "1.4"), ("4", "0.5"), ("0", "0")]))
    return Line(
        quantity=draw(decimals("-1000" if negative else "0", "1000", 4)),
        unit_price=draw(decimals("0", "5000", 4)),
        discount=draw(decimals("0", "100", 3)),
        category=category,
        rate=Decimal(rate) if standard else Decimal(0),
        surcharge_rate=Decimal(surcharges) if standard and draw(st.booleans()) else None,
    )


DOCUMENTS = st.lists(lines(), min_size=1, max_size=12)
RETENTIONS = st.sampled_from([Decimal(rate) for rate in ("0", "7", "15", "19", "100")])
POLICIES = st.sampled_from([DOCUMENT, LINE])


@given(DOCUMENTS, RETENTIONS, POLICIES)
def test_the_parts_sum_to_the_whole(document, retention, policy):
    sums = total(document, retention, policy)

    assert sums.subtotal == sum(sums.lines) == sum(row.base for row in sums.taxes)
    assert sums.tax == sum(row.amount for row in sums.taxes)
    assert sums.surcharge == sum(row.surcharge_amount for row in sums.taxes)
    assert sums.gross == sums.subtotal + sums.tax + sums.surcharge
    assert sums.total == sums.gross - sums.retention


@given(DOCUMENTS, RETENTIONS, POLICIES)
def test_every_amount_is_in_whole_cents_and_zero_has_no_sign(document, retention, policy):
    amounts = amounts_of(total(document, retention, policy))

    assert all(amount == amount.quantize(CENT) and amount.as_tuple().exponent == -2 for amount in amounts)
    assert not any(amount.is_zero() and amount.is_signed() for amount in amounts)


def amounts_of(sums: Totals) -> list[Decimal]:
    rows = [amount for row in sums.taxes for amount in (row.base, row.amount, row.surcharge_amount)]
    return [*sums.lines, *rows, sums.subtotal, sums.tax, sums.surcharge, sums.retention, sums.gross, sums.total]


@given(DOCUMENTS.flatmap(lambda found: st.tuples(st.just(found), st.permutations(found))), RETENTIONS, POLICIES)
def test_the_order_of_the_lines_does_not_matter(orders, retention, policy):
    one, other = (total(document, retention, policy) for document in orders)

    assert one.taxes == other.taxes
    assert (one.subtotal, one.tax, one.surcharge, one.retention, one.total) == (
        other.subtotal,
        other.tax,
        other.surcharge,
        other.retention,
        other.total,
    )


@given(DOCUMENTS, RETENTIONS, POLICIES)
def test_giving_back_all_of_it_undoes_it_to_the_cent(document, retention, policy):
    back = [replaced(line, quantity=-line.quantity) for line in document]

    there, returned = total(document, retention, policy), total(back, retention, policy)

    assert [-amount for amount in amounts_of(there)] == amounts_of(returned)


def replaced(line: Line, **changes) -> Line:
    return Line(**{**{name: getattr(line, name) for name in Line.__dataclass_fields__}, **changes})


@given(DOCUMENTS, RETENTIONS)
def test_rounding_each_line_differs_from_rounding_the_document_by_half_a_cent_a_line(document, retention):
    by_line, by_document = total(document, retention, LINE), total(document, retention, DOCUMENT)

    assert by_line.subtotal == by_document.subtotal
    most = Decimal("0.005") * (len(document) + len(by_line.taxes))
    assert abs(by_line.tax - by_document.tax) <= most
    assert abs(by_line.surcharge - by_document.surcharge) <= most


@given(DOCUMENTS, RETENTIONS)
def test_the_tax_of_a_rate_is_off_its_exact_value_by_half_a_cent_at_most(document, retention):
    for row in total(document, retention, DOCUMENT).taxes:
        assert abs(row.amount - row.base * row.rate / 100) <= Decimal("0.005")


@settings(max_examples=50)
@given(st.lists(lines(negative=False), min_size=1, max_size=12), lines(negative=False), POLICIES)
def test_one_more_line_never_lowers_the_bases(document, line, policy):
    fewer, more = total(document, Decimal(0), policy), total([*document, line], Decimal(0), policy)

    assert more.subtotal >= fewer.subtotal
    assert more.gross >= fewer.gross


# ---------------------------------------------------------------- prices that contain their tax


@given(DOCUMENTS, RETENTIONS, POLICIES)
def test_with_prices_that_contain_the_tax_the_document_comes_to_exactly_their_sum(document, retention, policy):
    sums = total(document, retention, policy, prices_include_tax=True)

    assert sums.gross == sum(sums.lines) == sum(row.base + row.amount + row.surcharge_amount for row in sums.taxes)
    assert sums.subtotal == sum(row.base for row in sums.taxes)
    assert sums.total == sums.gross - sums.retention
    assert all(amount == amount.quantize(CENT) for amount in amounts_of(sums))


@given(DOCUMENTS)
def test_the_tax_within_prices_is_off_its_exact_value_by_less_than_two_cents(document):
    for row in total(document, Decimal(0), DOCUMENT, prices_include_tax=True).taxes:
        assert abs(row.amount - row.base * row.rate / 100) < Decimal("0.02")
        assert row.amount * row.base >= 0


@given(DOCUMENTS, RETENTIONS, POLICIES)
def test_giving_back_what_was_sold_tax_included_undoes_it_to_the_cent(document, retention, policy):
    back = [replaced(line, quantity=-line.quantity) for line in document]

    there, returned = (total(lines, retention, policy, prices_include_tax=True) for lines in (document, back))

    assert [-amount for amount in amounts_of(there)] == amounts_of(returned)


# ---------------------------------------------------------------- lines of which only the margin is taxed


@st.composite
def bought_and_sold(draw) -> Line:
    rate = draw(st.sampled_from(["21", "10", "4"]))
    cost = draw(decimals("0", "5000", 2))
    quantity, price = draw(decimals("0", "100", 2)), draw(decimals("0", "5000", 2))
    return replaced(BOUGHT, quantity=quantity, unit_price=price, rate=Decimal(rate), purchase_cost=cost)


BOUGHT = Line(
    quantity=Decimal(1),
    unit_price=Decimal(1),
    discount=Decimal(0),
    category=TaxCategory.STANDARD,
    rate=Decimal(21),
    regime_key="03",
)
MARGINS = st.lists(bought_and_sold(), min_size=1, max_size=12)


@given(MARGINS, POLICIES, st.booleans())
def test_only_gains_are_taxed_and_the_document_comes_to_what_its_prices_say(document, policy, included):
    sums = total(document, Decimal(0), policy, prices_include_tax=included)

    gains = sum(max(line.amount - (line.purchase_cost or 0), Decimal(0)) for line in document)
    assert sums.gross == sum(sums.lines)
    assert sum(row.base + row.amount for row in sums.taxes) == gains
    assert all(row.base >= 0 and row.amount >= 0 and row.untaxed is not None for row in sums.taxes)


@given(MARGINS, POLICIES)
def test_giving_back_a_margin_undoes_it_to_the_cent(document, policy):
    back = [replaced(line, unit_price=-line.unit_price, purchase_cost=-(line.purchase_cost or 0)) for line in document]

    there, returned = (total(lines, Decimal(0), policy) for lines in (document, back))

    assert [-amount for amount in amounts_of(there)] == amounts_of(returned)
    assert [-(row.untaxed or 0) for row in there.taxes] == [row.untaxed for row in returned.taxes]
