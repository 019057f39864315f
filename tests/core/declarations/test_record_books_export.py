"""Record books of an account over HTTP: which books, which period, which form of file."""

from io import BytesIO
from zipfile import ZipFile

import pytest

BOOKS = "/api/tax-declarations/books"


@pytest.fixture
async def sold(ana):
    """An issued invoice of 100 euros and 21 of VAT in the first quarter."""
    draft = await ana.invoice(
        issueDate="2026-02-10", dueDate="2026-03-10", items=[{"description": "Diseño", "unitPrice": 100, "taxRate": 21}]
    )
    return (await ana.patch(f"/api/invoices/{draft['id']}/send"))["invoice"]


async def test_the_workbook_holds_all_books(ana, sold):
    answer = await ana.request("GET", f"{BOOKS}?year=2026&period=Q1")

    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    assert answer.headers["content-disposition"].startswith("attachment")
    with ZipFile(BytesIO(answer.content)) as workbook:
        sheets = [name for name in workbook.namelist() if name.startswith("xl/worksheets/sheet")]
        texts = "".join(workbook.read(name).decode() for name in workbook.namelist() if name.endswith(".xml"))
    assert len(sheets) == 3
    assert sold["number"] in texts


@pytest.mark.parametrize(("period", "rows"), [("Q1", 1), ("M02", 1), ("Y", 1), ("Q2", 0), ("M01", 0)])
async def test_a_text_file_holds_one_book_of_a_period(ana, sold, period, rows):
    answer = await ana.request("GET", f"{BOOKS}?year=2026&period={period}&book=issued&format=csv")

    lines = answer.content.decode("utf-8-sig").splitlines()
    assert answer.headers["content-type"].startswith("text/csv")
    assert len(lines) == 2 + rows  # the official headings take two lines
    assert sum(sold["number"].split("-")[-1] in line for line in lines[2:]) == rows


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("year=2026&period=Q5", "period"),
        ("year=2026&book=diary", "book"),
        ("year=2026&format=csv", "book"),
        ("year=1999", "year"),
        ("period=Q1", "year"),
        ("year=2026&format=pdf", "format"),
        ("year=2026&country=XX", "country"),
    ],
)
async def test_what_there_is_not_is_refused(ana, query, field):
    refusal = await ana.refused(400, "GET", f"{BOOKS}?{query}")

    assert [error["field"].rpartition(".")[2] for error in refusal["errors"]] == [field]
