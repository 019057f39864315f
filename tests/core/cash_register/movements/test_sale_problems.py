"""Problems of a sale's simplified invoice name the fields of the sale, in every language."""

import pytest

from ledgerkit.core.cash_register.movements.sales import with_fields_of_the_sale
from ledgerkit.core.sales.invoices.texts import InvoicesMsg
from ledgerkit.problems import Code, Invalid


def test_a_field_of_a_line_is_named_as_in_the_sale():
    with pytest.raises(Invalid) as raised, with_fields_of_the_sale():
        raise Invalid.field("items[2].taxRate", InvoicesMsg.TAX_RATE_NEEDED, tax="IGIC")

    assert [error.field for error in raised.value.errors] == ["lineItems[2].taxRate"]
    assert {wording.message.split(":")[0] for wording in raised.value.translations.values()} == {"lineItems[2].taxRate"}


def test_the_total_is_the_amount_of_the_sale():
    with pytest.raises(Invalid) as raised, with_fields_of_the_sale():
        raise Invalid.field("total", InvoicesMsg.ITEMS_NEEDED)

    assert raised.value.detail.startswith("amount: ")


def test_a_document_that_would_be_refused_can_be_invoiced_apart():
    with pytest.raises(Invalid) as raised, with_fields_of_the_sale():
        raise Invalid.field("items", InvoicesMsg.ITEMS_NEEDED, code=Code.FISCAL_CHECK_FAILED)

    remedies = {language: wording.remedy for language, wording in raised.value.translations.items()}
    assert remedies["en"].startswith("Send at least one item. Or invoice it apart: ")
    assert remedies["es"].startswith("Envía al menos una línea. O factúrala aparte: ")
