"""A language model is told, too, that a form belongs to another authority."""

import pytest


@pytest.mark.parametrize(
    ("postal_code", "authority"),
    [
        ("01001", "Diputación Foral de Álava"),
        ("20001", "Diputación Foral de Gipuzkoa"),
        ("48001", "Diputación Foral de Bizkaia"),
        ("31001", "Hacienda Foral de Navarra"),
        ("35001", "Agencia Tributaria Canaria"),
        ("38001", "Agencia Tributaria Canaria"),
        ("51001", "autonomous city of Ceuta"),
        ("52001", "autonomous city of Melilla"),
    ],
)
async def test_a_tool_refuses_the_form_of_another_authority_with_its_name(site, postal_code, authority):
    ana = await site.person()
    await ana.put("/api/teams/current", {"postalCode": postal_code})
    agent = site.agent(ana, **{"Accept-Language": "en"})

    refused = await agent.refused("generate_tax_declaration", country="ES", form="303", year=2026, period="Q3")
    listed = await agent.ok("list_tax_declarations", view="supported")

    assert refused["code"] == "DECLARATION_ELSEWHERE"
    assert authority in refused["errors"][0]["message"]
    (form,) = [one for one in listed["forms"] if (one["country"], one["form"]) == ("ES", "303")]
    assert authority in form["filing"]["message"]
