"""Catalan, which the server has in one file: forms, boxes and problems of Spain over REST and on paper."""

from support.declarations import PATH, printed

CATALAN = {"Accept-Language": "ca-ES, es;q=0.5"}
DRAFT = {"country": "ES", "form": "303", "year": 2025, "period": "Q3"}


async def test_a_form_and_its_boxes_are_named_in_catalan(declarant):
    await declarant.sold(1000, "2025-07-10")
    made = await declarant.generated(**DRAFT)

    read = (await declarant.request("GET", f"{PATH}/{made['id']}", **CATALAN)).json()["declaration"]
    offered = (await declarant.request("GET", f"{PATH}/supported", **CATALAN)).json()

    names = {form["form"]: form["name"] for form in offered["forms"] if form["country"] == "ES"}
    assert read["formName"] == names["303"] == "Autoliquidació de l'IVA"
    assert read["boxNames"]["27"] == "Total quota meritada"
    assert read["boxNames"]["07"] == "IVA meritat al 21 %: base"
    assert read["sections"][0]["title"] == "IVA meritat"
    assert read["sections"][0]["lines"][0] == {"name": "IVA meritat al 0 %", "boxes": ["150", "152"]}
    assert read["declarationTypes"]["I"] == "Ingrés"
    assert "vat_warn_no_previous" not in read["warnings"]
    assert "Falta la declaració del període anterior" in " ".join(one["message"] for one in read["warnings"])


async def test_a_draft_is_printed_in_catalan(declarant):
    await declarant.sold(1000, "2025-07-10")
    made = await declarant.generated(**DRAFT)

    page = await printed(declarant, made, "?lang=ca")

    assert "ESBORRANY" in page
    assert "Autoliquidació de l'IVA" in page
    assert "Total quota meritada 27 210,00" in page
    assert "1T 2025" not in page
    assert "3T 2025" in page


async def test_fields_of_records_and_their_codes_are_named_in_catalan(declarant):
    await declarant.sold(5000, "2025-07-10", client={"name": "Cafès, SL", "taxId": "B12345674", "country": "ES"})
    made = await declarant.generated(country="ES", form="347", year=2025, period="Y")

    read = (await declarant.request("GET", f"{PATH}/{made['id']}", **CATALAN)).json()["declaration"]

    assert read["recordFields"]["q1Amount"]["name"] == "Import 1T"
    assert read["recordFields"]["operationKey"]["values"] == {"A": "A, adquisicions", "B": "B, lliuraments"}
    assert "Registre: Declarat" in await printed(declarant, made, "?lang=ca")


async def test_what_is_refused_is_said_in_catalan_and_in_all_languages_beside(declarant):
    answer = await declarant.request("GET", f"{PATH}/calendar?country=XX", **CATALAN)

    problem = answer.json()
    assert problem["title"] == "La petició no és vàlida"
    assert problem["errors"][0]["message"].startswith("aquí no es poden fer declaracions de XX")
    assert list(problem["errors"][0]["translations"]) == ["en", "ca", "es"]
