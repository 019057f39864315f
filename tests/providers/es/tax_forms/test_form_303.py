"""Form 303 beside its sums: what is carried, the type of the declaration, rectifications, warnings, dates."""

from datetime import date
from decimal import Decimal

import pytest
from vat_documents import (
    CLIENT,
    GERMAN,
    SWISS,
    bought,
    codes,
    compute,
    credit_note,
    filled,
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
    DocumentKind,
    FormInput,
    Omission,
    OmittedDocument,
    PreviousDeclaration,
    PurchaseKind,
    ResultKind,
    TaxCategory,
    TaxPeriod,
    TaxProfile,
)
from ledgerkit.providers.es.tax_forms.profile import SpanishTaxProfile
from ledgerkit.providers.es.tax_forms.vat.form_303 import Form303
from ledgerkit.providers.es.tax_forms.vat.form_390 import Form390
from ledgerkit.texts import languages

FORM = Form303()
Q1, Q2, Q3, Q4 = (TaxPeriod(2026, f"Q{number}") for number in range(1, 5))


def previous(period, declaration_type=None, submitted=True, **boxes):
    amounts = {box.removeprefix("b"): money(amount) for box, amount in boxes.items()}
    return PreviousDeclaration(
        form="303", period=period, boxes=amounts, declaration_type=declaration_type, submitted=submitted
    )


def chosen(letter, iban=None):
    return Choice(declaration_type=letter, iban=iban)


# ---------------------------------------------------------------- what is carried


@pytest.mark.parametrize(
    ("earlier", "pending"),
    [
        (previous(Q1, "C", b71="-100", b87="20"), "120.00"),
        (previous(Q1, None, b71="-100", b87="20"), "120.00"),
        (previous(Q1, "I", b71="50", b87="20"), "20.00"),
        (previous(Q1, "D", b71="-100", b87="0"), "0.00"),
        (previous(Q1, "C", b71="-100", b111="30"), "70.00"),
        (previous(TaxPeriod(2025, "Q4"), "C", b71="-100"), "0.00"),
        (previous(TaxPeriod(2026, "M03"), "C", b71="-100"), "100.00"),
    ],
    ids=["compensated", "by default", "paid", "refunded", "undue", "of another period", "of a month"],
)
def test_what_the_period_before_leaves_is_pending(earlier, pending):
    """Design DR303e26: 110 = previous 87 + previous -71 if that was type C."""
    assert str(compute(FORM, Q2, previous=[earlier]).effective["110"]) == pending


def test_the_last_declaration_of_a_period_counts():
    earlier = [previous(Q1, "C", b71="-100"), previous(Q1, "C", b71="-80")]

    assert compute(FORM, Q2, previous=earlier).effective["110"] == 80


def test_a_period_before_that_is_missing_or_a_draft_is_warned_of():
    assert "vat.warn_no_previous" in codes(compute(FORM, Q2))
    assert "vat.warn_draft_previous" in codes(compute(FORM, Q2, previous=[previous(Q1, submitted=False)]))
    assert codes(compute(FORM, Q2, previous=[previous(Q1)])) == set()
    assert codes(compute(FORM, Q2, overrides={"110": Decimal(0)})) == set()
    assert codes(compute(FORM, Q2, activities=[{"since": "2026-04-01"}])) == set()


# ---------------------------------------------------------------- type of the declaration

OWED, CREDIT = [sale(line("100"))], [purchase(bought("100"))]


@pytest.mark.parametrize(
    ("period", "documents", "pending", "profile", "letters"),
    [
        (Q1, OWED, 0, {}, "IUG"),
        (Q1, [], 0, {}, "N"),
        (Q1, [], 50, {}, "N"),
        (Q1, CREDIT, 0, {}, "C"),
        (Q1, CREDIT, 0, {"monthly_refunds": True}, "CDV"),
        (Q4, CREDIT, 0, {}, "CDVX"),
        (Q4, [], 50, {}, "NDVX"),
        (Q4, OWED, 21, {}, "N"),
        (Q3, CREDIT, 0, {"monthly_refunds": True}, "CDVX"),
    ],
)
def test_the_result_decides_which_types_are_allowed(period, documents, pending, profile, letters):
    """Design DR303e26, note on the type: X only in 3T, 4T and 07 to 12."""
    moved = [_moved(document, period) for document in documents]
    computation = compute(FORM, period, moved, overrides={"110": Decimal(pending)}, **profile)

    assert "".join(computation.declaration_types) == letters
    assert all(name.in_language("es") != name.in_language("en") for name in computation.declaration_types.values())


def _moved(document, period):
    make = sale if document in OWED else purchase
    return make(*document.taxes, on=period.span.last)


def test_who_asks_for_a_refund_in_the_last_period_gets_all_that_is_pending():
    """Design DR303e26, box 78; Ley 37/1992, art. 115.Uno."""
    documents = [sale(line("100"), on="2026-11-01")]
    pending = [previous(Q3, "C", b71="-50")]

    usual = compute(FORM, Q4, documents, previous=pending)
    refund = compute(FORM, Q4, documents, previous=pending, choice=chosen("D"))

    assert filled(usual.effective).items() >= {"78": "21.00", "87": "29.00"}.items()
    assert (usual.result, usual.result_kind) == (0, ResultKind.NONE)
    assert filled(refund.effective).items() >= {"78": "50.00", "71": "-29.00"}.items()
    assert (refund.effective["87"], refund.result_kind) == (0, ResultKind.REFUND)


def test_a_type_that_the_result_does_not_allow_is_warned_of_and_changes_nothing():
    refused = compute(FORM, Q1, CREDIT, choice=chosen("D"), previous=[previous(TaxPeriod(2025, "Q4"))])

    assert codes(refused) == {"vat.warn_type_not_allowed"}
    assert refused.result_kind is ResultKind.COMPENSATE
    assert refused.effective == compute(FORM, Q1, CREDIT).effective


# ---------------------------------------------------------------- rectification

AMENDS = Amendment(receipt_number="3031234567890")


def test_a_rectification_pays_the_difference():
    """Design DR303e26: 70 = amount already paid; 71 = 69 - 70 + 109."""
    first = previous(Q1, "I", b69="210", b71="210")

    more = compute(FORM, Q1, [sale(line("1500"))], previous=[first], amends=AMENDS)

    assert filled(more.effective).items() >= {"69": "315.00", "70": "210.00", "71": "105.00"}.items()
    assert list(more.declaration_types) == ["I", "U", "G"]


def test_a_rectification_gets_back_what_was_paid_too_much():
    """Design DR303e26, box 111; nothing of it may be compensated, so the refund is the only type."""
    first = previous(Q1, "I", b69="210", b71="210")

    less = compute(FORM, Q1, [sale(line("900"))], previous=[first], amends=AMENDS)

    assert filled(less.effective).items() >= {"70": "210.00", "71": "-21.00", "111": "21.00"}.items()
    assert list(less.declaration_types) == ["D", "V"]


def test_a_rectification_that_turns_into_a_credit_refunds_what_was_paid_and_carries_the_rest():
    first = previous(Q1, "I", b69="21", b71="21")
    turned = compute(FORM, Q1, CREDIT, previous=[first], amends=AMENDS)
    after = previous(Q1, "C", **{f"b{key}": amount for key, amount in turned.effective.items()})

    assert filled(turned.effective).items() >= {"70": "21.00", "71": "-42.00", "111": "21.00"}.items()
    assert list(turned.declaration_types) == ["C"]
    assert compute(FORM, Q2, previous=[after]).effective["110"] == 21


def test_a_rectification_of_a_refund_gives_back_what_is_no_longer_due():
    """Design DR303e26: 109 = already refunded."""
    first = previous(Q4, "D", b69="-100", b71="-100")

    less = compute(FORM, Q4, [purchase(bought("100"), on="2026-11-01")], previous=[first], amends=AMENDS)

    assert filled(less.effective).items() >= {"69": "-21.00", "109": "100.00", "71": "79.00"}.items()


def test_a_second_rectification_subtracts_what_both_returns_paid():
    second = previous(Q1, "I", b69="310", b70="210", b71="100")

    assert compute(FORM, Q1, OWED, previous=[second], amends=AMENDS).effective["70"] == 310


def test_a_rectification_of_a_return_that_is_not_here_asks_for_what_it_paid():
    code = "vat.warn_no_amended"

    assert code in codes(compute(FORM, Q1, OWED, amends=AMENDS))
    assert code not in codes(compute(FORM, Q1, OWED, amends=AMENDS, overrides={"70": Decimal(21)}))
    assert code not in codes(compute(FORM, Q1, OWED, amends=AMENDS, previous=[previous(Q1, "I", b71="21")]))


def test_an_ordinary_return_has_nothing_of_an_earlier_one():
    first = previous(Q1, "I", b69="210", b71="210")

    assert compute(FORM, Q1, OWED, previous=[first]).effective["70"] == 0


# ---------------------------------------------------------------- rows that reach no box


def test_a_fee_without_vat_and_invoice_is_no_loss():
    """Ley 37/1992, art. 97: without an invoice nothing is deducted; where there is no VAT, nothing could be."""
    fee = purchase(bought("300", "0"), kind=PurchaseKind.NO_INVOICE)

    computation = compute(FORM, Q1, [fee], previous=[previous(TaxPeriod(2025, "Q4"))])

    assert computation.warnings == compute(FORM, Q1, [], previous=[previous(TaxPeriod(2025, "Q4"))]).warnings


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (sale(line("100", category=TaxCategory.EXEMPT)), "exempt"),
        (sale(line("100", category=TaxCategory.NOT_SUBJECT, not_subject_reason="article_7")), "not_subject"),
        (sale(line("100", "7", tax="IGIC")), "another_tax"),
        (sale(line("100", regime_key="20")), "regime_apart"),
        (sale(line("100", regime_key="14")), "regime_apart"),
        (sale(line("100", "18")), "no_rate_box"),
        (sale(line("100", surcharge="4")), "no_rate_box"),
        (sale(line("100", category=TaxCategory.INTRA_EU_GOODS), client=CLIENT), "no_vat_number"),
        (sale(line("0")), "zero"),
        (sale(), "no_tax_lines"),
        (purchase(bought("100", "0")), "no_tax"),
        (purchase(bought("100", share=0)), "no_deduction"),
        (purchase(bought("100"), kind=PurchaseKind.NO_INVOICE), "no_invoice"),
        (purchase(bought("100"), regime_key="03"), "regime_apart"),
        (purchase(bought("100"), assessment=Assessment.INTRA_EU_GOODS, vendor=GERMAN, triangular=True), "triangular"),
        (purchase(), "no_tax_lines"),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_a_document_without_a_box_is_named_with_its_reason(document, reason):
    """Rows that reach no box are told, never dropped."""
    computation = compute(FORM, Q1, [document], previous=[previous(TaxPeriod(2025, "Q4"))])

    assert [(one.code, one.document_ids) for one in computation.warnings] == [
        (f"vat_unboxed.{reason}", (document.document_id,))
    ]
    assert computation.counted == frozenset()
    assert filled(computation.effective) == {}


def test_a_row_without_a_box_is_named_though_another_row_of_its_document_has_one():
    mixed = sale(line("100"), line("50", category=TaxCategory.EXEMPT))

    computation = compute(FORM, Q1, [mixed])

    assert computation.counted == {mixed.document_id}
    assert "vat_unboxed.exempt" in codes(computation)


EXEMPT = sale(line("500", category=TaxCategory.EXEMPT))


@pytest.mark.parametrize("form", [FORM, Form390()], ids=["303", "390"])
def test_exempt_sales_of_who_deducts_all_are_warned_of_first(form):
    """Ley 37/1992, art. 102: who also sells without the right to deduct has to deduct by prorrata."""
    period = Q1 if form is FORM else TaxPeriod(2026, "Y")
    bills = [EXEMPT, sale(line("1000")), purchase(bought("100"))]

    first, *others = compute(form, period, bills).warnings

    assert (first.code, first.document_ids) == ("vat.warn_exempt_without_prorrata", (EXEMPT.document_id,))
    assert "21.00" in str(first.message)
    assert "vat_unboxed.exempt" not in {one.code for one in others}
    for quiet in (bills[:2], bills[1:]):
        assert "vat.warn_exempt_without_prorrata" not in codes(compute(form, period, quiet))
    for prorrata in ({"prorrata": "general", "provisional_percent": 60}, {"prorrata": "special"}):
        assert "vat.warn_exempt_without_prorrata" not in codes(compute(form, period, bills, **prorrata))


def test_documents_of_other_days_are_neither_counted_nor_named():
    later = [sale(line("1"), on="2026-04-01"), purchase(bought("1", "0"), on="2025-12-31"), sale(on="2025-12-31")]

    computation = compute(FORM, Q1, later, previous=[previous(TaxPeriod(2025, "Q4"))])

    assert (filled(computation.effective), codes(computation)) == ({}, set())


def test_documents_that_the_ledger_leaves_out_are_named():
    left_out = [
        OmittedDocument(document_id="a", number="A1", reason=Omission.FOREIGN_CURRENCY),
        OmittedDocument(document_id="b", number="A2", reason=Omission.FOREIGN_CURRENCY, issue_date=date(2026, 1, 1)),
        OmittedDocument(document_id="c", number="A3", reason=Omission.FOREIGN_CURRENCY, issue_date=date(2025, 1, 1)),
    ]

    computation = compute(FORM, Q1, ledger=ledger([], omitted=left_out))

    named = next(one for one in computation.warnings if one.code == "vat.warn_foreign_currency")
    assert named.document_ids == ("a", "b")


def test_deductions_in_doubt_are_counted_and_named():
    ticket = purchase(bought("100"), kind=PurchaseKind.SIMPLIFIED)
    old = purchase(bought("100"), on="2021-12-31", deduction_date="2026-01-01")

    computation = compute(FORM, Q1, [ticket, old], previous=[previous(TaxPeriod(2025, "Q4"))])

    assert computation.effective["29"] == 42
    assert {one.code: one.document_ids for one in computation.warnings} == {
        "vat.warn_simplified_deducted": (ticket.document_id,),
        "vat.warn_deduction_expired": (old.document_id,),
    }


@pytest.mark.parametrize(
    ("profile", "code"),
    [
        ({"prorrata": "general"}, "vat.warn_prorrata_percent"),
        ({"prorrata": "special"}, "vat.warn_prorrata_special"),
        ({"estimation": "modules"}, "vat.warn_modules"),
        ({"surcharge_regime": True}, "vat.warn_surcharge_regime"),
    ],
)
def test_what_the_form_cannot_know_is_warned_of(profile, code):
    assert code in codes(compute(FORM, Q1, **profile))


def test_a_sale_at_a_rate_that_is_not_in_force_is_counted_and_named():
    """5 % ended on 30 September 2024: `providers.es.rates`."""
    documents = [sale(line("100", "5")), credit_note(line("-100", "5")), sale(line("1", "22", regime_key="17"))]

    computation = compute(FORM, Q1, documents)

    named = next(one for one in computation.warnings if one.code == "vat.warn_rate_not_in_force")
    assert named.document_ids == (documents[0].document_id,)
    assert computation.effective["155"] == 5


def test_investment_goods_of_earlier_years_are_named_where_the_prorrata_may_adjust_them():
    """Ley 37/1992, arts. 107 to 110; box 43 is entered by hand."""
    machine = purchase(bought("9000", investment_good=True), on="2024-05-01")
    books = ledger([], earlier_investments=[machine])

    computation = compute(FORM, Q4, ledger=books, prorrata="general", provisional_percent=60)

    named = next(one for one in computation.warnings if one.code == "vat.warn_investment_goods")
    assert named.document_ids == (machine.document_id,)
    assert "vat.warn_investment_goods" not in codes(compute(FORM, Q4, ledger=books))
    assert "vat.warn_investment_goods" not in codes(compute(FORM, Q1, ledger=books, prorrata="special"))


def test_a_box_without_sign_below_zero_is_warned_of():
    assert "vat.warn_unsigned_below_zero" in codes(compute(FORM, Q1, overrides={"07": Decimal(-1)}))


# ---------------------------------------------------------------- dates


def test_the_date_of_the_operation_decides_and_for_corrections_that_of_issue():
    """Ley 37/1992, arts. 75, 89 and 99."""
    documents = [
        sale(line("1"), on="2026-04-02", operation_date="2026-03-31"),
        credit_note(line("-2"), on="2026-04-02", operation_date="2026-03-31"),
    ]

    assert filled(compute(FORM, Q1, documents).effective)["07"] == "1.00"
    assert filled(compute(FORM, Q2, documents).effective)["14"] == "-2.00"


def test_cash_accounting_accrues_by_payments_and_at_the_end_of_the_next_year_the_rest():
    """Ley 37/1992, art. 163 terdecies: each collection in proportion, the rest on 31 December of the next year."""
    documents = [
        sale(
            line("1000", regime_key="07"), on="2025-05-01", payments=paid(("2025-06-01", "100"), ("2026-02-01", "333"))
        )
    ]
    periods = [TaxPeriod(year, f"Q{number}") for year in (2025, 2026, 2027) for number in range(1, 5)]
    quotas = {(period.year, period.code): compute(FORM, period, documents).effective["09"] for period in periods}

    assert {key: str(quota) for key, quota in quotas.items() if quota} == {
        (2025, "Q2"): "17.36",  # 210 x 100 / 1210 = 17.355
        (2026, "Q1"): "57.79",  # 210 x 433 / 1210 = 75.149, less 17.36
        (2026, "Q4"): "134.85",  # the rest of 210
    }


def test_retention_is_no_unpaid_part_under_cash_accounting():
    """The client pays 1210 - 150; that is the whole of what it owes."""
    whole = sale(line("1000", regime_key="07"), retention=Decimal("150.00"), payments=paid(("2026-02-20", "1060")))

    assert compute(FORM, Q1, [whole]).effective["09"] == 210


def test_an_account_under_cash_accounting_needs_no_key_and_defers_its_purchases_too():
    """Ley 37/1992, arts. 163 duodecies and terdecies."""
    documents = [
        sale(line("100")),
        purchase(bought("50")),
        purchase(bought("10"), assessment=Assessment.REVERSE_CHARGE),
    ]

    before = compute(FORM, Q1, documents)
    computation = compute(FORM, Q1, documents, cash_accounting=True)

    assert filled(before.effective).items() >= {"09": "21.00", "29": "12.60"}.items()
    assert filled(computation.effective).items() >= {"63": "21.00", "75": "10.50", "13": "2.10", "29": "2.10"}.items()
    assert computation.effective["09"] == 0


def test_a_change_of_the_census_holds_from_its_day_on():
    documents = [sale(line("100"), on="2026-01-31"), sale(line("1000"), on="2026-02-01")]
    change = {"since": "2026-02-01", "cash_accounting": True}

    computation = compute(FORM, Q1, documents, census_changes=[change])

    assert filled(computation.effective).items() >= {"07": "100.00", "62": "1000.00"}.items()


def test_a_correction_under_cash_accounting_counts_as_it_is_paid_back():
    note = credit_note(line("-100", regime_key="07"), payments=paid(("2026-03-01", "-121")))

    assert filled(compute(FORM, Q1, [note]).effective).items() >= {"14": "-100.00", "62": "-100.00"}.items()


# ---------------------------------------------------------------- overrides and evidence


def test_an_override_stands_in_all_that_follows_and_the_computed_value_remains():
    computation = compute(FORM, Q1, [sale(line("100"))], overrides={"09": Decimal("20.995")})

    assert [str(computation.effective[key]) for key in ("09", "27", "71")] == ["21.00", "21.00", "21.00"]
    changed = compute(FORM, Q1, [sale(line("100"))], overrides={"27": Decimal(30)})
    assert (changed.effective["71"], changed.computed["27"], changed.computed["71"]) == (30, 21, 21)


@pytest.mark.parametrize("box", ["7", "999", "08", "total"])
def test_an_unknown_box_is_refused(box):
    with pytest.raises(ValueError, match=box):
        compute(FORM, Q1, overrides={box: Decimal(1)})


def test_a_box_of_a_later_design_is_refused():
    """Box 112 is of 2026; 108, 111, 165 and the page of the prorrata of September 2024."""
    for period, box in [(TaxPeriod(2025, "Q4"), "112"), (TaxPeriod(2024, "Q2"), "111"), (TaxPeriod(2024, "Q2"), "501")]:
        with pytest.raises(ValueError, match=box):
            compute(FORM, period, overrides={box: Decimal(1)})


def test_evidence_names_each_document_of_a_box():
    first, second = sale(line("100")), sale(line("50"))

    computation = compute(FORM, Q1, [first, second])

    assert {part.document_id: str(part.amount) for part in computation.evidence["09"]} == {
        first.document_id: "21.00",
        second.document_id: "10.50",
    }
    assert computation.evidence.keys() == {"07", "09"}
    assert (computation.output_tax, computation.input_tax) == (money("31.50"), 0)


# ---------------------------------------------------------------- periods and dates of filing


def test_the_design_follows_the_last_day_of_the_period():
    designs = {
        (2023, "Q1"): "2023",
        (2024, "M08"): "2023",
        (2024, "Q2"): "2023",
        (2024, "Q3"): "2024-09",
        (2024, "M09"): "2024-09",
        (2025, "Q4"): "2024-09",
        (2026, "Q1"): "2026",
    }

    assert {key: FORM.layout(TaxPeriod(*key)) for key in designs} == designs
    assert FORM.periods(2026) == ("Q1", "Q2", "Q3", "Q4", *(f"M{number:02d}" for number in range(1, 13)))
    assert FORM.periods(2000) == FORM.periods(2026)


def test_the_profile_decides_what_is_due():
    month = TaxPeriod(2026, "M05")

    assert FORM.is_due(SpanishTaxProfile(), Q1)
    assert not FORM.is_due(SpanishTaxProfile(), month)
    assert FORM.is_due(SpanishTaxProfile(monthly_refunds=True), month)
    assert not FORM.is_due(SpanishTaxProfile(filing="monthly"), Q1)
    assert not FORM.is_due(SpanishTaxProfile(surcharge_regime=True), Q1)
    assert not FORM.is_due(SpanishTaxProfile(activities=[{"since": "2026-04-01"}]), Q1)


def test_the_last_days_to_file_are_working_days():
    """20 April 2026 is a Monday; 15 April a Wednesday; 30 January 2027 a Saturday; RIVA, art. 71.4."""
    assert (FORM.due_date(Q1), FORM.direct_debit_date(Q1)) == (date(2026, 4, 20), date(2026, 4, 15))
    assert FORM.due_date(Q4) == date(2027, 2, 1)


def test_the_last_period_reads_the_year_before_too():
    assert FORM.ledger_span(Q1) == Q1.span
    assert (FORM.ledger_span(Q4).first, FORM.ledger_span(Q4).last) == (date(2025, 1, 1), date(2026, 12, 31))


def test_a_profile_of_another_country_is_refused():
    given = FormInput(period=Q1, ledger=ledger([]), previous=(), profile=TaxProfile())

    with pytest.raises(TypeError, match="no profile of Spain"):
        FORM.compute(given)


def test_boxes_have_names_in_all_languages():
    for one in FORM.boxes(Q4).values():
        words = {one.name.in_language(language) for language in languages()}
        assert len(words) > 1
        assert all(1 < len(name) < 60 for name in words)


def test_swiss_services_are_elsewhere_and_tickets_without_a_client_are_counted():
    documents = [
        sale(line("10", category=TaxCategory.INTRA_EU_SERVICES), client=SWISS),
        sale(line("20"), client=None, kind=DocumentKind.SIMPLIFIED),
        credit_note(line("-5"), client=None, correction_reason=None),
    ]

    assert (
        filled(compute(FORM, Q1, documents).effective).items()
        >= {
            "120": "10.00",
            "07": "20.00",
            "14": "-5.00",
        }.items()
    )
