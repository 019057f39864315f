"""What a caller is told when the authority refuses a document, or would: in their language, with what to do."""

import pytest

from support.api import item

TOO_MUCH = {"docType": "simplified", "client": None, "items": [item(unitPrice=5000)]}
SPANISH = {"accept-language": "es-ES,es;q=0.9,en;q=0.5"}


async def asked(api, invoice, headers=None):
    answer = await api.request("POST", "/api/einvoice/emit", {"invoiceId": invoice["id"]}, **(headers or {}))
    return answer.status_code, answer.json()


async def test_what_would_be_refused_says_so_in_the_callers_language(ana):
    invoice = await ana.invoice(**TOO_MUCH)

    status, english = await asked(ana, invoice)
    _, spanish = await asked(ana, invoice, SPANISH)

    assert (status, english["code"]) == (400, "FISCAL_CHECK_FAILED")
    (said,), (dicho,) = english["errors"], spanish["errors"]
    assert (said["field"], said["code"]) == ("total", "1150")
    assert "may not exceed 3,000 EUR" in said["message"]
    assert "no puede pasar de 3.000 euros" in dicho["message"]
    assert "no puede pasar de 3.000 euros" in spanish["detail"]
    assert (english["remedy"], spanish["remedy"]) == (said["remedy"], dicho["remedy"])
    assert "full invoice" in english["remedy"]
    assert "factura completa" in spanish["remedy"]
    assert said["translations"] == dicho["translations"]
    assert said["translations"]["es"]["message"] == dicho["message"]
    assert (await ana.get(f"/api/invoices/{invoice['id']}"))["number"] is None


@pytest.mark.parametrize(("language", "word"), [("en", "rates of that day"), ("es", "ninguno de los que hubo")])
async def test_what_was_refused_is_explained_and_the_way_out_is_named(ana, language, word):
    invoice = await ana.invoice(items=[item(description="Diseño [sandbox:reject 1124]")])

    status, problem = await asked(ana, invoice, {"accept-language": language})

    assert (status, problem["code"]) == (422, "AUTHORITY_REJECTED")
    (said,) = problem["result"]["errors"]
    assert word in said["cause"][language]
    assert said["remedy"][language] in problem["remedy"]
    assert problem["remedy"].count({"en": " again", "es": "vuelve a emitir"}[language]) == 1


async def test_a_remark_is_explained_wherever_the_result_is_seen(ana):
    invoice = await ana.invoice(items=[item(description="Diseño [sandbox:warn 2001]")])

    result = await ana.post("/api/einvoice/emit", {"invoiceId": invoice["id"]})

    (said,) = result["errors"]
    assert (result["status"], said["code"]) == ("accepted_with_errors", "2001")
    assert set(said["cause"]) == set(said["remedy"]) == {"es", "en"}
    stored = await ana.get(f"/api/invoices/{invoice['id']}")
    standing = await ana.get(f"/api/einvoice/status/{invoice['id']}")
    assert stored["einvoice"]["errors"] == standing["errors"] == [said]


async def test_a_code_without_a_known_cause_is_told_as_it_came(ana):
    invoice = await ana.invoice(items=[item(description="Diseño [sandbox:reject 1291]")])

    status, problem = await asked(ana, invoice)

    (said,) = problem["result"]["errors"]
    assert (status, said["code"], said["cause"], said["remedy"]) == (422, "1291", None, None)
    assert said["message"]
    assert "Correct the cause, then emit it again." in problem["remedy"]
