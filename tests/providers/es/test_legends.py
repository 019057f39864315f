from dataclasses import replace
from datetime import date

import pytest
from spanish_documents import FRENCH, credit_note, invoice, line, of_margin

from ledgerkit.providers.api import Correction, DocumentRef, TaxCategory
from ledgerkit.providers.es import country

ELSEWHERE = "Operación no sujeta al IVA español por reglas de localización (arts. 68 a 70 de la Ley 37/1992)"


def texts(document, language="es"):
    return [legend.text.in_language(language) for legend in country.tax.legends(document)]


@pytest.mark.parametrize(
    ("category", "more", "spanish"),
    [
        (TaxCategory.EXEMPT, {}, "Operación exenta de IVA (art. 20 de la Ley 37/1992)"),
        (TaxCategory.EXEMPT, {"exemption_code": "E6"}, "Operación exenta de IVA"),
        (TaxCategory.EXPORT, {}, "Operación exenta de IVA (art. 21 de la Ley 37/1992)"),
        (TaxCategory.INTRA_EU_GOODS, {}, "Operación exenta de IVA (art. 25 de la Ley 37/1992)"),
        (TaxCategory.REVERSE_CHARGE, {}, "Inversión del sujeto pasivo (art. 84.Uno.2.º de la Ley 37/1992)"),
    ],
)
def test_an_untaxed_line_names_its_article(category, more, spanish):
    assert texts(invoice(line(category=category, **more))) == [spanish]


def test_what_follows_a_triangular_acquisition_names_the_reverse_charge_and_no_exemption():
    """Directive 2006/112/EC, art. 226(11a): without the words the buyer does not owe the tax."""
    document = invoice(line(category=TaxCategory.INTRA_EU_GOODS), recipient=FRENCH, triangular=True)

    [spanish], [english] = texts(document), texts(document, "en")

    assert spanish.startswith("Inversión del sujeto pasivo: operación triangular no sujeta")
    assert english.startswith("Reverse charge: triangular operation outside the scope of Spanish VAT")


def test_legends_are_in_catalan_too():
    document = invoice(line(category=TaxCategory.INTRA_EU_SERVICES), recipient=FRENCH)

    assert texts(document, "ca")[0].startswith("Inversió del subjecte passiu: servei no subjecte a l'IVA espanyol")


def test_a_taxed_invoice_needs_no_legend():
    assert texts(invoice()) == []


def test_a_service_to_another_member_state_names_the_reverse_charge_in_both_languages():
    document = invoice(line(category=TaxCategory.INTRA_EU_SERVICES), recipient=FRENCH)

    assert texts(document)[0].startswith("Inversión del sujeto pasivo")
    assert texts(document, "en")[0].startswith("Reverse charge")


@pytest.mark.parametrize(
    ("more", "spanish"),
    [
        ({"not_subject_reason": "article_7"}, "Operación no sujeta a IVA (art. 7 de la Ley 37/1992)"),
        ({"not_subject_reason": "article_14"}, "Operación no sujeta a IVA (art. 14 de la Ley 37/1992)"),
        ({"not_subject_reason": "other"}, "Operación no sujeta a IVA"),
        ({"regime_key": "10"}, "Operación no sujeta a IVA"),
        ({"not_subject_reason": "location_rules"}, ELSEWHERE),
        ({"regime_key": "17"}, ELSEWHERE),
        ({"regime_key": "08"}, ELSEWHERE),
    ],
)
def test_what_is_not_subject_says_why_as_it_is_declared(more, spanish):
    not_subject = invoice(line(category=TaxCategory.NOT_SUBJECT, **more))

    assert texts(not_subject) == [spanish]
    assert texts(replace(not_subject, recipient=FRENCH)) == [spanish]


def test_a_place_of_supply_abroad_says_why_too():
    supplied = invoice(line(category=TaxCategory.NOT_SUBJECT), place_of_supply="DE")

    assert texts(supplied) == [ELSEWHERE]
    assert texts(supplied, "en")[0].startswith("Outside the scope of Spanish VAT")


def test_cash_accounting_is_named():
    assert texts(invoice(line(regime_key="07"))) == ["Régimen especial del criterio de caja"]


@pytest.mark.parametrize(
    ("details", "spanish"),
    [
        ({}, "Régimen especial de los bienes usados"),
        ({"marginGoods": "art"}, "Régimen especial de los objetos de arte"),
        ({"marginGoods": "antiques"}, "Régimen especial de las antigüedades y objetos de colección"),
        ({"marginGoods": True}, "Régimen especial de los bienes usados"),
    ],
)
def test_goods_under_a_margin_scheme_are_named_by_one_of_the_three_mentions(details, spanish):
    assert texts(invoice(of_margin("03"), details=details)) == [spanish]
    assert texts(invoice(of_margin("03", tax="IGIC"), details=details)) == [spanish]


def test_travel_agencies_name_their_regime():
    assert texts(invoice(of_margin("05"))) == ["Régimen especial de las agencias de viajes"]
    assert texts(invoice(of_margin("05")), "en") == ["Margin scheme: travel agents"]


def test_the_same_legend_is_printed_once():
    document = invoice(line(category=TaxCategory.EXEMPT), line(category=TaxCategory.EXEMPT, regime_key="11"))

    assert len(texts(document)) == 1


def test_a_corrective_invoice_names_the_corrected_ones_and_the_cause():
    corrected = (
        DocumentRef(number="F2026-0001", issue_date=date(2026, 2, 1)),
        DocumentRef(number="F2026-0007", issue_date=date(2026, 2, 3)),
    )

    (said,) = texts(credit_note(correction=Correction(documents=corrected, reason="R2")))

    assert "F2026-0001 (01/02/2026), F2026-0007 (03/02/2026)" in said
    assert "concurso de acreedores" in said


@pytest.mark.parametrize(
    ("tax", "category", "spanish"),
    [
        ("IGIC", TaxCategory.EXEMPT, "Operación exenta de IGIC"),
        ("IPSI", TaxCategory.NOT_SUBJECT, "Operación no sujeta a IPSI"),
        ("OTHER", TaxCategory.EXPORT, "Operación exenta del impuesto"),
        ("IGIC", TaxCategory.REVERSE_CHARGE, "Inversión del sujeto pasivo"),
    ],
)
def test_another_tax_names_no_article_of_the_vat(tax, category, spanish):
    assert texts(invoice(line(category=category, tax=tax))) == [spanish]
    assert texts(invoice(line(tax=tax))) == []


@pytest.mark.parametrize(
    ("tax", "plain", "elsewhere"),
    [
        ("IGIC", "Operación no sujeta a IGIC", "Outside the scope of IGIC (Canary Islands) by the place of supply"),
        ("IPSI", "Operación no sujeta a IPSI", "Outside the scope of IPSI (Ceuta and Melilla) by the place of supply"),
        ("OTHER", "Operación no sujeta al impuesto", "Outside the scope of the tax by the place of supply"),
    ],
)
def test_another_tax_tells_what_is_not_subject_by_the_rules_of_place_apart(tax, plain, elsewhere):
    def said(**more):
        one = invoice(line(category=TaxCategory.NOT_SUBJECT, tax=tax, **more))
        return texts(one) + texts(one, "en")

    declared_n1 = [said(not_subject_reason=reason) for reason in ("article_7", "article_14", "other")]
    declared_n2 = [said(not_subject_reason="location_rules"), said(regime_key="08")]
    service = invoice(line(category=TaxCategory.INTRA_EU_SERVICES, tax=tax))
    abroad = invoice(line(category=TaxCategory.NOT_SUBJECT, tax=tax), place_of_supply="FR")

    assert declared_n1 == [[plain, elsewhere.split(" by ")[0].replace("Outside the scope of", "Not subject to")]] * 3
    assert declared_n2 == [[f"{plain} por reglas de localización", elsewhere]] * 2
    assert texts(service, "en") == texts(abroad, "en") == [elsewhere]


def test_cash_accounting_of_the_islands_is_named_too():
    assert texts(invoice(line(tax="IGIC", regime_key="07"))) == ["Régimen especial del criterio de caja"]
