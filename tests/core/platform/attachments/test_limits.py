"""Refusals: other types, too much, too many, half a document; and the edge of each limit."""

import pytest

from support.files import JPEG, PDF, PNG, URL, data_url, expense, file_body, of, stored, uploaded

MIB = 1 << 20


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"MZ\x90\x00\x03", 415),
        (b"PK\x03\x04 a zip", 415),
        (b"<html><script>alert(1)</script>", 415),
        (b"<?xml version='1.0'?><!-- x --><svg xmlns='http://www.w3.org/2000/svg'/>", 415),
        (b"\xff\xfe\x00\x01", 415),
        (b"   ", 415),
        (b"", 400),
    ],
)
async def test_other_contents_are_refused_whatever_they_are_called(ana, kernel, content, status):
    body = {"name": "factura.pdf", "content": data_url(content, "application/pdf")}

    problem = await ana.refused(status, "POST", URL, body)

    assert problem["code"] == ("UNSUPPORTED_MEDIA_TYPE" if status == 415 else "VALIDATION_ERROR")
    assert stored(kernel) == {}


@pytest.mark.parametrize("content", ["", "hello", "data:;base64,AAAA", "data:image/png;base64,%%%", "data:a/b,AAAA"])
async def test_what_is_no_data_url_is_refused(ana, content):
    problem = await ana.refused(400, "POST", URL, {"content": content})

    assert [error["field"] for error in problem["errors"]] == ["content"]


async def test_ten_mebibytes_are_taken_and_one_byte_more_is_not(ana):
    largest = PDF + bytes(10 * MIB - len(PDF))

    assert (await uploaded(ana, largest))["size"] == 10 * MIB
    problem = await ana.refused(413, "POST", URL, file_body(largest + b"\0"))

    assert problem["code"] == "BODY_TOO_LARGE"


async def test_a_document_and_an_account_take_so_much(ana, kernel):
    limits = {"attachments_per_document": 2, "attachment_space_mib": 1}
    object.__setattr__(kernel, "settings", kernel.settings.model_copy(update=limits))
    document = of("expense", await expense(ana))
    await uploaded(ana, PDF, **document)
    second = await uploaded(ana, PNG, **document)

    many = await ana.refused(400, "POST", URL, file_body(JPEG, **document))
    await ana.request("DELETE", f"{URL}/{second['id']}")
    await uploaded(ana, JPEG, **document)
    much = await ana.refused(402, "POST", URL, file_body(PDF + bytes(MIB)))

    assert (many["code"], much["code"]) == ("ATTACHMENT_LIMIT", "ATTACHMENT_SPACE")


@pytest.mark.parametrize("half", [{"documentType": "expense"}, {"documentId": "x"}])
async def test_half_a_document_is_refused(ana, half):
    problem = await ana.refused(400, "POST", URL, file_body(**half))

    assert problem["code"] == "VALIDATION_ERROR"


@pytest.mark.parametrize("document", ["x", "00000000-0000-0000-0000-000000000000"])
async def test_a_document_that_is_not_there_takes_nothing(ana, document):
    await ana.refused(404, "POST", URL, file_body(documentType="task", documentId=document))


async def test_a_file_is_not_attached_to_a_deleted_document(ana):
    bought = await expense(ana)
    await ana.delete(f"/api/expenses/{bought['id']}")

    await ana.refused(404, "POST", URL, file_body(**of("expense", bought)))
