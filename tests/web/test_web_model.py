"""A model at work in a browser: a supplier's invoice read and in stock once, and the trial of the settings."""

import re
from collections.abc import AsyncIterator

import pytest
from playwright.async_api import expect

from ledgerkit.core.platform.ai.model.operations import AMOUNT
from support.modelserver import ModelServer, fails, model_server, reads
from support.pictures import png
from support.windows import lose_one_answer
from web.conftest import Site, opened_site

INVOICE = {
    "kind": "invoice",
    "vendor_name": "Ferretería Sur, S.L.",
    "vendor_tax_id": "B12345674",
    "document_number": "2026/118",
    "issue_date": "2026-11-02",
    "currency": "EUR",
    "subtotal": 35,
    "tax_total": 7.35,
    "total": 42.35,
    "taxes": [{"rate": 21, "base": 35, "amount": 7.35}],
    "lines": [
        {"description": "TORNILLOS M4", "quantity": 200, "unit_price": 0.05, "tax_rate": 21, "total": 10},
        {"description": "Martillo", "quantity": 1, "unit_price": 20, "tax_rate": 21, "total": 20},
        {"description": "Portes", "quantity": 1, "unit_price": 5, "tax_rate": 21, "total": 5},
    ],
}


@pytest.fixture(scope="module")
async def model() -> AsyncIterator[ModelServer]:
    async with model_server() as server:
        yield server


@pytest.fixture(scope="module")
async def site(postgres, tmp_path_factory, model) -> AsyncIterator[Site]:
    """The server of these tests asks a model."""
    async with opened_site(postgres, tmp_path_factory.mktemp("reading") / "data", AI_BASE_URL=model.url) as site:
        yield site


@pytest.fixture
async def shop(ana):
    await ana.post("/api/catalog", {"name": "Tornillo M4", "stock": 10, "cost": 0.04, "unitPrice": 0.1})
    await ana.post("/api/catalog", {"name": "Martillo de bola", "stock": 1})
    return ana


async def stocks(api) -> dict[str, float]:
    return {one["name"]: one["stock"] for one in await api.get("/api/catalog")}


async def test_the_goods_of_a_photographed_invoice_are_in_stock_once(shop, visit, model):
    model.says(reads(INVOICE))
    left = (await shop.get("/auth/me"))["tokens"]["total"]
    page = await visit(shop, "/catalog/import")
    await expect(page.get_by_text(f"Te quedan {left}")).to_be_visible()
    file = {"name": "factura.png", "mimeType": "image/png", "buffer": png()}
    await page.locator("input[type=file]").first.set_input_files(file)

    await expect(page.get_by_text("Existencias: 10 → 210")).to_be_visible()
    await expect(page.get_by_label("Qué hacer con Portes")).to_have_value("skip")
    await page.get_by_label("¿Es «Martillo»").select_option("no")
    await expect(page.get_by_label("Qué hacer con Martillo")).to_have_value("create")
    await lose_one_answer(page, "**/api/catalog/confirm-import")
    await page.get_by_role("button", name="Confirmar la entrada").click()
    await expect(page.get_by_role("alert")).to_contain_text("No hay conexión con el servidor")
    await page.get_by_role("button", name="Confirmar la entrada").click()

    await expect(page.get_by_text("Entrada hecha")).to_be_visible()
    assert await stocks(shop) == {"Tornillo M4": 210, "Martillo de bola": 1, "Martillo": 1}
    assert (await shop.get("/auth/me"))["tokens"]["total"] == left - 1


async def test_the_trial_says_whether_the_model_answers_and_sees(ana, visit, model):
    page = await visit(ana, "/settings/ai")
    trial = page.get_by_role("button", name="Probar el modelo")
    outcome = page.get_by_role("status").filter(has=page.locator(".notice"))

    model.says(fails(401))
    await trial.click()
    await expect(outcome).to_contain_text("El servidor de modelos rechaza lo que le pide este servidor")
    model.says(reads({"total": None}))
    await trial.click()
    await expect(outcome).to_contain_text("no lee imágenes")
    model.says(reads({"total": str(AMOUNT)}))
    await trial.click()
    await expect(outcome).to_contain_text(re.compile("lee imágenes: ha respondido en [0-9.]+ ms"))

    assert (await ana.get("/api/ai/usage"))["actionCount"] == 0
