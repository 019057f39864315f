"""Documents read without a model and without a network, through the interface."""

from decimal import Decimal
from io import BytesIO

import pytest

from ledgerkit.core.platform.ai.model import ModelClient
from support.modelserver import HANGS, fails
from support.pictures import data_url, png
from support.ports import free_port
from support.receipts import Condition, specimen

SCAN, IMPORT = "/api/expenses/scan-receipt", "/api/catalog/import-invoice"
BAR, PETROL, GOODS = 0, 1, 6
"""Seeds of the generator's layouts."""


def exact(number):
    return Decimal(str(number))


async def left(api):
    return (await api.get("/auth/me"))["tokens"]["total"]


@pytest.mark.parametrize("seed", [BAR, pytest.param(PETROL, marks=pytest.mark.whole)])
async def test_a_receipt_is_read_without_a_key(ana, seed):
    receipt = specimen(seed, condition=Condition.PLAIN)
    before = await left(ana)

    answer = await ana.post(SCAN, {"image": data_url(receipt.png())})

    truth = receipt.truth
    assert (answer["engine"], exact(answer["amount"]), answer["date"]) == (
        "rapidocr",
        truth.total,
        truth.issue_date.isoformat(),
    )
    assert answer["vendorTaxId"] == truth.tax_id
    assert answer["taxRate"] is None or exact(answer["taxRate"]) in truth.rates
    assert answer["confidence"]["amount"] >= 0.5
    assert await left(ana) == before - 1


@pytest.mark.whole
async def test_a_supplier_invoice_is_read_without_a_key(ana):
    invoice = specimen(GOODS, condition=Condition.PLAIN)

    answer = await ana.post(IMPORT, {"image": data_url(invoice.png())})

    truth = invoice.truth
    assert (answer["engine"], exact(answer["total"]), answer["invoiceNumber"]) == (
        "rapidocr",
        truth.total,
        truth.number,
    )
    assert answer["vendor"]["taxId"] == truth.tax_id


@pytest.mark.parametrize("failing", [fails(500), fails(429), HANGS], ids=["500", "429", "slow"])
@pytest.mark.whole
async def test_a_failing_model_is_followed_by_the_recognition(model, ana, failing):
    model.says(failing)
    receipt = specimen(BAR, condition=Condition.PLAIN)

    answer = await ana.post(SCAN, {"image": data_url(receipt.png())})

    assert (answer["engine"], exact(answer["amount"])) == ("rapidocr", receipt.truth.total)


@pytest.mark.whole
async def test_a_picture_without_text_is_an_answer_of_nulls(ana):
    answer = await ana.post(SCAN, {"image": data_url(png(" "))})

    assert (answer["amount"], answer["vendor"], answer["date"]) == (None, None, None)


@pytest.mark.whole
async def test_a_pdf_is_read_like_a_picture(ana):
    receipt = specimen(BAR, condition=Condition.PLAIN)
    pdf = BytesIO()
    receipt.image.save(pdf, "PDF", resolution=150)

    answer = await ana.post(SCAN, {"image": data_url(pdf.getvalue(), "application/pdf")})

    assert (answer["engine"], exact(answer["amount"])) == ("rapidocr", receipt.truth.total)


@pytest.mark.whole
async def test_an_unreachable_model_is_followed_by_the_recognition(kernel, ana):
    kernel.services[ModelClient] = ModelClient(
        kernel.settings.model_copy(update={"ai_base_url": f"http://127.0.0.1:{free_port()}/v1", "ai_timeout": 2})
    )
    receipt = specimen(BAR, condition=Condition.PLAIN)

    answer = await ana.post(SCAN, {"image": data_url(receipt.png())})

    assert (answer["engine"], exact(answer["amount"])) == ("rapidocr", receipt.truth.total)
