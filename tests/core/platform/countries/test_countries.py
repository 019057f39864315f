"""A country as forms ask for it: rates in their periods, exemptions, reasons; names and hints in each language."""

import pytest

from ledgerkit.core.platform.documents.payment_terms import TERM_DAYS
from ledgerkit.providers.api import HintedField

PATH = "/api/countries"


async def in_language(api, code: str, language: str) -> dict:
    answer = await api.request("GET", f"{PATH}/{code}", **{"accept-language": language})
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_rates_come_in_their_periods_with_their_surcharges(ana):
    """Ley 37/1992, arts. 90 and 161; RDL 20/2022, art. 72."""
    spain = await in_language(ana, "ES", "es")

    general, *_ = spain["taxRates"]
    assert {**general, "source": None} == {
        "rate": 21,
        "label": "general",
        "validFrom": "2012-09-01",
        "validTo": None,
        "surcharges": [5.2, 1.75],
        "source": None,
    }
    assert general["source"].startswith("Ley 37/1992, art. 90.Uno")
    assert [
        (rate["validFrom"], rate["validTo"], rate["surcharges"]) for rate in spain["taxRates"] if rate["rate"] == 5
    ] == [("2022-07-01", "2022-12-31", [0.5]), ("2023-01-01", "2024-09-30", [0.62])]


@pytest.mark.parametrize(
    ("language", "rate", "exemption", "reason"),
    [
        ("es", "reducido", "Art. 21: exportación", "Impago: crédito incobrable (art. 80.Cuatro)"),
        ("en", "reduced", "Art. 21: export", "Unpaid: bad debt (art. 80.Cuatro)"),
        ("de", "reduced", "Art. 21: export", "Unpaid: bad debt (art. 80.Cuatro)"),
    ],
)
async def test_labels_are_in_the_callers_language(ana, language, rate, exemption, reason):
    spain = await in_language(ana, "ES", language)

    assert spain["taxRates"][1]["label"] == rate
    assert spain["exemptions"][1] == {"code": "E2", "label": exemption, "validFrom": None, "validTo": None}
    assert [one["label"] for one in spain["correctionReasons"] if one["code"] == "R3"] == [reason]


async def test_reasons_say_which_documents_they_correct(ana):
    spain = await in_language(ana, "ES", "en")

    corrects = {reason["code"]: reason["corrects"] for reason in spain["correctionReasons"]}
    assert list(corrects) == ["R1", "R2", "R3", "R4", "R5"]
    assert corrects["R1"] == [
        {"docType": "invoice", "withDetail": None, "withoutDetail": "withoutRecipientId"},
        {"docType": "simplified", "withDetail": "identifiedRecipient", "withoutDetail": "withoutRecipientId"},
    ]
    assert {"docType": "simplified", "withDetail": None, "withoutDetail": "identifiedRecipient"} in corrects["R5"]


async def test_a_country_without_surcharges_and_exemptions_offers_none(ana):
    vetania = await in_language(ana, "vt", "es")

    assert vetania["code"] == "VT"
    assert [(rate["rate"], rate["label"], rate["surcharges"]) for rate in vetania["taxRates"]] == [
        (10, "tax", []),
        (12, "tax", []),
    ]
    assert vetania["exemptions"] == []
    assert [(one["code"], one["label"]) for one in vetania["correctionReasons"]] == [("C", "Correction")]


async def test_a_country_that_is_not_installed_is_refused_with_those_that_are(ana):
    problem = await ana.refused(404, "GET", f"{PATH}/FR", **{"accept-language": "es"})

    assert (problem["code"], problem["detail"]) == ("NOT_FOUND", "Aquí no hay ningún país FR instalado")
    assert problem["remedy"] == "Usa uno de estos: ES, VT."


@pytest.mark.parametrize(
    ("language", "words", "hint"),
    [
        ("es", ("IVA", "IRPF", "retención de IRPF"), "15 % en general para profesionales, 7 % al empezar."),
        ("en", ("VAT", "income tax", "income tax retention (IRPF)"), "15 % for most professionals, 7 % when starting."),
        ("ca", ("IVA", "IRPF", "retenció d'IRPF"), "15 % en general per a professionals, 7 % en començar."),
    ],
)
async def test_taxes_have_the_countrys_names_and_fields_its_hints(ana, language, words, hint):
    spain = await in_language(ana, "ES", language)

    assert tuple(spain["taxWords"].values()) == words
    assert spain["hints"]["retentionRate"] == hint
    assert set(spain["hints"]) == set(HintedField)


async def test_a_field_that_the_country_does_not_explain_has_no_hint(ana):
    vetania = await in_language(ana, "VT", "es")

    assert vetania["taxWords"] == {"tax": "levy", "incomeTax": "income levy", "retention": "withheld levy"}
    assert vetania["hints"] == {"retentionRate": "3 % if a bank pays"}


async def test_example_clients_have_tax_ids_that_are_taken(ana):
    spain = await in_language(ana, "ES", "en")

    example, *_ = spain["exampleClients"]
    assert example == {
        "name": "Panadería La Espiga",
        "taxId": "B00000018",
        "postalCode": "46001",
        "city": "Valencia",
        "province": "Valencia",
    }
    stored = await ana.post("/api/clients", example)
    assert (stored["taxId"], stored["warnings"]) == ("B00000018", [])


async def test_the_usual_payment_term_is_that_of_a_new_company(ana):
    team = (await ana.get("/api/teams/current"))["team"]

    assert (await in_language(ana, "ES", "en"))["paymentTermDays"] == team["paymentTermDays"] == TERM_DAYS
