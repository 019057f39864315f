"""A company with employees, a professional and a landlord: 111, 115, 180 and 190 over the wire, read back by design."""

from ledgerkit.providers.es.tax_forms import layouts
from support.declarations import PATH
from support.payables import create_vendor

PROFILE = f"{PATH}/profile?country=ES"
COMPANY = {"company": "Talleres Ejemplo, S.L.", "taxId": "B29805314", "phone": "910 000 000"}
PERSON = {"company": "Ruiz Gil, Ana", "taxId": "12345678Z", "phone": "+34 910 000 000"}
CONTACT = {"surnames": "Ruiz Gil", "firstName": "Ana", "phone": "600000000", "email": "ana@example.com"}
EMPLOYEES = [
    {"taxId": "00000001R", "birthYear": 1990, "familySituation": "3", "contract": "1"},
    {
        "taxId": "00000002W",
        "birthYear": 2004,
        "familySituation": "2",
        "spouseTaxId": "12345678Z",
        "contract": "2",
        "disability": "1",
        "movedForWork": True,
    },
]
PROPERTY = "9872023VH5797S0001WX"
YEAR = {"country": "ES", "year": 2025}


async def paid(declarant, name, tax_id, amount, tax_rate, **fields):
    """Record an expense of March 2025, paid then, to a vendor of Cádiz."""
    vendor = await create_vendor(declarant, name, taxId=tax_id, country="ES", postalCode="11001")
    day = {"date": "2025-03-10", "paidAt": "2025-03-12", "status": "paid"}
    expense = {"description": name, "vendorId": vendor, "amount": amount, "taxRate": tax_rate, **day, **fields}
    return await declarant.post("/api/expenses", expense)


async def paid_wages(declarant):
    wage = {"docType": "no_invoice", "retentionKind": "employment"}
    await paid(declarant, "Gil Mar, Eva", "00000001R", 2000, 0, retentionRate=10, **wage)
    await paid(declarant, "Paz Sol, Leo", "00000002W", 1200, 0, **wage)


async def filed(declarant, form, period):
    """Return the boxes of a form that was submitted, and what its file says."""
    made = await declarant.generated(**YEAR, form=form, period=period)
    assert (await declarant.submitted(made))["file"] is not None
    answer = await declarant.request("GET", f"{PATH}/{made['id']}/file")
    assert answer.status_code == 200, answer.text
    return made["effectiveBoxes"], layouts.read(form, answer.content)


async def test_a_company_files_what_it_pays_with_every_mandatory_datum(declarant):
    """Record designs of 111, 115, 180 and 190; 190: contact at 59 to 107, data of employees at 153 to 170."""
    await declarant.put("/api/teams/current", COMPANY)
    await declarant.put(PROFILE, {"person": "company", "contact": CONTACT, "employees": EMPLOYEES})
    await paid_wages(declarant)
    await paid(declarant, "Prado Gil, Lucía", "50123456Q", 1210, 21, retentionRate=15, retentionKind="professional")
    rent = {"retentionRate": 19, "retentionKind": "rent", "leasedProperty": PROPERTY}
    await paid(declarant, "Locales SA", "A58818501", 1210, 21, **rent)

    boxes_111, file_111 = await filed(declarant, "111", "Q1")
    _, file_115 = await filed(declarant, "115", "Q1")
    _, file_180 = await filed(declarant, "180", "Y")
    boxes_190, file_190 = await filed(declarant, "190", "Y")

    assert [boxes_111[box] for box in ("01", "02", "03", "07", "08", "09", "28")] == [2, 3200, 200, 1, 1000, 150, 350]
    assert (file_111.values["surnames"], file_111.values["first_name"]) == ("TALLERES EJEMPLO, S.L.", "")
    assert file_115.values["surname_name"] == "TALLERES EJEMPLO, S.L."
    for listed in (file_180, file_190):
        assert listed.values["surname_name"] == "TALLERES EJEMPLO, S.L."
        assert (listed.values["contact_name"], listed.values["contact_phone"]) == ("RUIZ GIL ANA", "600000000")
    assert file_190.values["email"] == "ANA@EXAMPLE.COM"
    assert [boxes_190[box] for box in ("01", "02", "03")] == [3, 4200, 350]
    [landlord] = file_180.records
    assert (landlord["property_situation"], landlord["province"]) == ("1", "11")
    eva, leo, lucia = sorted(file_190.records, key=lambda record: record["party_tax_id"])
    names = ("key", "province", "birth_year", "family_situation", "spouse_tax_id", "contract", "disability", "mobility")
    assert [eva[name] for name in names] == ["A", "11", "1990", "3", "", "1", "", ""]
    assert [leo[name] for name in names] == ["A", "11", "2004", "2", "12345678Z", "2", "1", "1"]
    assert (str(leo["amount"]), str(leo["retention"])) == ("1200.00", "0.00")
    assert (lucia["key"], lucia["subkey"]) == ("G", "01")


async def test_a_190_without_the_data_of_an_employee_has_no_file_and_is_recorded_all_the_same(declarant):
    await declarant.put("/api/teams/current", COMPANY)
    await declarant.put(PROFILE, {"contact": CONTACT, "employees": EMPLOYEES[:1]})
    await paid_wages(declarant)
    made = await declarant.generated(**YEAR, form="190", period="Y")

    refused = await declarant.refused(400, "GET", f"{PATH}/{made['id']}/file")
    submitted = await declarant.submitted(made)
    await declarant.put(PROFILE, {"employees": EMPLOYEES})
    again = await declarant.refused(400, "GET", f"{PATH}/{made['id']}/file")

    assert "list_forms.employee_details" in {one["code"] for one in made["warnings"]}
    missing = ["records[1].birthYear", "records[1].familySituation", "records[1].contract"]
    assert refused["code"] == again["code"] == "DECLARATION_FILE_INCOMPLETE"
    assert [one["field"] for one in refused["errors"]] == missing
    assert all("Paz Sol, Leo" in one["message"] and "employees" in one["remedy"] for one in refused["errors"])
    assert submitted["file"] is None
    assert "Paz Sol, Leo" in submitted["warnings"][-1]["message"]


async def test_a_file_that_could_not_be_made_when_it_was_filed_is_not_made_later(declarant):
    await declarant.put("/api/teams/current", COMPANY)
    await declarant.put(PROFILE, {"employees": EMPLOYEES})
    await paid_wages(declarant)
    made = await declarant.submitted(await declarant.generated(**YEAR, form="190", period="Y"))

    await declarant.put(PROFILE, {"contact": CONTACT})
    refused = await declarant.refused(400, "GET", f"{PATH}/{made['id']}/file")

    assert "contactName" in made["warnings"][-1]["message"]
    assert refused["code"] == "DECLARATION_FILE_INCOMPLETE"
    assert "amends" in refused["remedy"]


async def test_the_contact_of_a_person_is_the_person_with_the_telephone_of_the_account(declarant):
    await declarant.put("/api/teams/current", PERSON)
    await declarant.put(PROFILE, {"employees": EMPLOYEES})
    await paid_wages(declarant)

    _, file = await filed(declarant, "190", "Y")

    assert (file.values["contact_name"], file.values["contact_phone"]) == ("RUIZ GIL ANA", "910000000")


async def test_the_name_of_a_person_is_divided_by_its_comma_or_by_the_profile(declarant):
    await declarant.put("/api/teams/current", PERSON)
    await paid_wages(declarant)
    by_comma = (await filed(declarant, "111", "Q1"))[1].values
    await declarant.put(PROFILE, {"surnames": "Ruiz", "firstName": "Ana María"})
    by_profile = (await filed(declarant, "111", "Q2"))[1].values
    await declarant.put("/api/teams/current", {"company": "Ana Ruiz Gil"})
    await declarant.put(PROFILE, {"surnames": None, "firstName": None})
    whole = (await filed(declarant, "111", "Q3"))[1].values

    assert [(one["surnames"], one["first_name"]) for one in (by_comma, by_profile, whole)] == [
        ("RUIZ GIL", "ANA"),
        ("RUIZ", "ANA MARÍA"),
        ("ANA RUIZ GIL", ""),
    ]


async def test_an_employee_with_a_dependent_spouse_names_it(declarant):
    spouse_missing = EMPLOYEES[1] | {"spouseTaxId": None}

    refused = await declarant.refused(400, "PUT", PROFILE, {"employees": [spouse_missing]})

    assert "spouseTaxId" in refused["errors"][0]["message"]


async def test_the_tax_id_of_an_employee_is_a_spanish_one(declarant):
    refused = await declarant.refused(400, "PUT", PROFILE, {"employees": [EMPLOYEES[0] | {"taxId": "00000001A"}]})

    assert refused["errors"][0]["field"] == "employees[0].taxId"
