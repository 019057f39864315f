"""The readable draft: its boxes by name, in the language of the account's country."""

from support.declarations import PATH
from support.printed import texts


async def printed(api, declaration, query: str = "") -> str:
    answer = await api.request("GET", f"{PATH}/{declaration['id']}/pdf{query}")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/pdf")
    return "\n".join(texts(answer.content)).replace("\N{NO-BREAK SPACE}", " ")


async def test_a_draft_shows_boxes_names_warnings_and_what_was_overridden(declarant):
    await declarant.sold(1000, "2026-07-10")
    await declarant.sold(20, "2026-08-10", taxRate=0)
    made = await declarant.changed(await declarant.generated(), manualOverrides={"20": 30}, notes="Con gestor")

    page = await printed(declarant, made)

    assert "Impuesto trimestral" in page
    assert "Cuota de ventas 10 210,00" in page
    assert "Cuota de compras (calculado: 0,00) 20 30,00" in page
    assert "Resultado 30 180,00" in page
    assert "I A ingresar" in page
    assert "no lleva impuesto" in page
    assert "Con gestor" in page
    assert "BORRADOR" in page
    assert "Crédito anterior" not in page


async def test_a_running_period_is_warned_of(declarant):
    page = await printed(declarant, await declarant.generated(year=2099))

    assert "El periodo termina el 2099-09-30" in page


async def test_a_submitted_one_bears_the_fingerprint_of_its_file(declarant):
    made = await declarant.submitted(await declarant.generated(form="VT2", period="Y"))

    page = await printed(declarant, made, "?lang=en")

    assert "Yearly list of clients" in page
    assert made["file"]["sha256"] in page.replace("\n", "")
    assert "DRAFT" not in page


async def test_a_language_without_words_is_refused(declarant):
    made = await declarant.generated()

    problem = await declarant.refused(400, "GET", f"{PATH}/{made['id']}/pdf?lang=xx")

    assert problem["errors"][0]["field"] == "lang"
