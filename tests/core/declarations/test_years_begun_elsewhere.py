"""docs/es/impuestos.md, a year begun elsewhere: its files imported, and found in reports, books and declarations.

The figures are the files' own, added up beside each assertion.
"""

import re
from pathlib import Path

import pytest

from support.declarations import PATH

PAGE = Path(__file__).parents[3] / "docs" / "es" / "impuestos.md"


def file_of(name):
    return re.search(rf"```csv {name}\n(.*?)```", PAGE.read_text(), re.DOTALL)[1]


async def imported(api, path, name):
    headers = {**api.headers, "Content-Type": "text/csv"}
    answer = await api.client.post(path, content=file_of(name).encode("cp1252"), headers=headers)
    assert (answer.status_code, answer.json()["errors"]) == (200, []), answer.text
    return answer.json()


@pytest.fixture
async def beginner(ana):
    sales = await imported(ana, "/api/invoices/import", "ingresos")
    purchases = await imported(ana, "/api/supplier-invoices/import", "gastos")
    assert (sales["documents"], purchases["documents"]) == (5, 3)
    return ana


async def boxes(api, period):
    request = {"country": "ES", "form": "303", "year": 2026, "period": period}
    declaration = (await api.post(f"{PATH}/generate", request))["declaration"]
    return declaration["boxes"]


async def test_they_are_in_the_balance_of_each_quarter(beginner):
    first, second = [await beginner.get(f"/api/expenses/vat-balance?year=2026&quarter={number}") for number in (1, 2)]

    assert (first["outputVat"], first["deductibleInputVat"]) == (678, 147)  # 630 + 8 + 40; 42 + 105
    assert (second["outputVat"], second["deductibleInputVat"]) == (105, 1050)  # 210 - 105; half of 2100


async def test_they_are_in_the_303_of_each_quarter(beginner):
    first, second = [await boxes(beginner, period) for period in ("Q1", "Q2")]

    in_first = {"03": 8, "06": 40, "07": 3000, "09": 630, "28": 700, "29": 147, "59": 1000, "71": 531}
    in_second = {"07": 1000, "09": 210, "14": -500, "15": -105, "30": 5000, "31": 1050}
    assert {box: first[box] for box in in_first} == in_first
    assert {box: second[box] for box in in_second} == in_second


@pytest.mark.parametrize(("book", "number"), [("issued", "F2026-0003"), ("received", "AL-1")])
async def test_they_are_in_the_record_books(beginner, book, number):
    answer = await beginner.request("GET", f"{PATH}/books?country=ES&year=2026&period=Q1&book={book}&format=csv")

    assert number in answer.content.decode("utf-8-sig", errors="replace")


async def test_ledgerkit_goes_on_where_the_other_software_stopped(beginner):
    draft = await beginner.invoice(issueDate="2026-11-20")

    paid = await beginner.patch(f"/api/invoices/{draft['id']}/pay")

    assert paid["number"] == "F2026-0005"
