"""Texts of refusals and remarks, by the authority or before it: in the caller's language, with a remedy."""

import pytest

from support.api import item

TOO_MUCH = {"docType": "simplified", "client": None, "items": [item(unitPrice=5000)]}
SPANISH = {"accept-language": "es-ES,es;q=0.9,en;q=0.5"}


async def emit_in(api, invoice, headers=None):
    answer = await api.request("POST", "/api/einvoice/emit", {"invoiceId": invoice["id"]}, **(headers or {}))
    return answer.status_code, answer.json()


async def test_a_refusal_before_numbering_is_in_the_callers_language(ana):
    invoice = await ana.invoice(**TOO_MUCH)

    status, english = await emit_in(ana, invoice)
    _, spanish = await emit_in(ana, invoice, SPANISH)

    assert (status, english["code"]) == (400, "FISCAL_CHECK_FAILED")
    (error,), (spanish_error,) = english["errors"], spanish["errors"]
    assert (error["field"], error["code"]) == ("total", "1150")
    assert "may not exceed 3,000 EUR" in error["message"]
    assert "no puede pasar de 3.000 euros" in spanish_error["message"]
    assert "no puede pasar de 3.000 euros" in spanish["detail"]
    assert (english["remedy"], spanish["remedy"]) == (error["remedy"], spanish_error["remedy"])
    assert "full invoice" in english["remedy"]
    assert "factura completa" in spanish["remedy"]
    assert error["translations"] == spanish_error["translations"]
    assert error["translations"]["es"]["message"] == spanish_error["message"]
    assert (await ana.get(f"/api/invoices/{invoice['id']}"))["number"] is None


@pytest.mark.parametrize(("language", "word"), [("en", "rates of that day"), ("es", "ninguno de los que hubo")])
async def test_a_refusal_of_the_authority_has_cause_and_remedy(ana, language, word):
    invoice = await ana.invoice(items=[item(description="Diseño [sandbox:reject 1124]")])

    status, problem = await emit_in(ana, invoice, {"accept-language": language})

    assert (status, problem["code"]) == (422, "AUTHORITY_REJECTED")
    (error,) = problem["result"]["errors"]
    assert word in error["cause"][language]
    assert error["remedy"][language] in problem["remedy"]
    assert problem["remedy"].count({"en": " again", "es": "vuelve a emitir"}[language]) == 1


async def test_a_remark_is_explained_wherever_the_result_is_seen(ana):
    invoice = await ana.invoice(items=[item(description="Diseño [sandbox:warn 2001]")])

    result = await ana.post("/api/einvoice/emit", {"invoiceId": invoice["id"]})

    (error,) = result["errors"]
    assert (result["status"], error["code"]) == ("accepted_with_errors", "2001")
    assert set(error["cause"]) == set(error["remedy"]) == {"ca", "es", "en"}
    stored = await ana.get(f"/api/invoices/{invoice['id']}")
    standing = await ana.get(f"/api/einvoice/status/{invoice['id']}")
    assert stored["einvoice"]["errors"] == standing["errors"] == [error]


async def test_a_code_without_a_known_cause_is_passed_on_unchanged(ana):
    invoice = await ana.invoice(items=[item(description="Diseño [sandbox:reject 1291]")])

    status, problem = await emit_in(ana, invoice)

    (error,) = problem["result"]["errors"]
    assert (status, error["code"], error["cause"], error["remedy"]) == (422, "1291", None, None)
    assert error["message"]
    assert "Correct the cause, then emit it again." in problem["remedy"]
