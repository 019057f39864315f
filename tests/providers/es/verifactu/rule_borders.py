"""More cases of the rules: for each condition within a rule, a document that would be judged wrongly without it.

As in `rule_cases`: by code and field, documents that break the rule alone, each beside one that breaks none.
"""

from dataclasses import replace
from datetime import date
from decimal import Decimal

from rule_cases import (
    AGENCY,
    EXEMPT,
    FRENCH_AGENCY,
    IRISH,
    ORIGINAL,
    PERSON,
    SERVICES,
    UNTAXED,
    carrying,
    client,
    correction,
    cost,
    on,
    substitution,
    surcharged,
    third,
)
from spanish_documents import AMERICAN, CLIENT, FRENCH, ISSUER, credit_note, invoice, line, simplified

from ledgerkit.providers.api import IssuedBy

BEFORE_2021 = date(2020, 12, 31)


def by_nobody(party, build=invoice):
    """Document with a third party that is not named as its issuer: faults of that party do not count."""
    return build(third_party=party)


def at_cost(build, base="100.00", amount="21.00"):
    return build(*cost(base, amount).taxes)


BORDERS = {
    ("1117", "rectifies"): [
        (invoice(correction=correction(reason="R6")), credit_note(correction=correction(reason="R2"))),
        (invoice(correction=substitution(replaced_base=None)), credit_note(correction=substitution())),
    ],
    ("1189", "client.taxId"): [
        (client(PERSON, tax_id=None, country="FR"), client(PERSON)),
        (client(PERSON, tax_id=" "), client(PERSON)),
        (client(FRENCH, line(category=SERVICES), tax_id=None), client(FRENCH, line(category=SERVICES))),
    ],
    ("1123", "client.taxId"): [(client(tax_id="X"), simplified(recipient=replace(CLIENT, tax_id="X")))],
    ("1126", "client.taxIdKind"): [(client(PERSON, tax_id="12345678A", country="FR"), client(PERSON))],
    ("1103", "client.taxId"): [(client(AMERICAN, tax_id="1" * 21), client(AMERICAN, tax_id="1"))],
    ("1122", "client.country"): [
        (
            client(FRENCH, tax_id="DE123456789"),
            client(FRENCH, tax_id="DE123456789", tax_id_kind="passport"),
        ),
        (client(FRENCH, tax_id="DE123456789"), client(FRENCH, tax_id="DE12345678")),
        (client(FRENCH, tax_id="DE123456789"), client(AMERICAN, tax_id="DE123456789")),
        (client(IRISH, tax_id="DE123456789"), client(IRISH)),
    ],
    ("1254", "client.taxId"): [
        (invoice(recipient=IRISH, operation_date=BEFORE_2021), invoice(recipient=FRENCH, operation_date=BEFORE_2021)),
        (
            invoice(recipient=IRISH, operation_date=BEFORE_2021),
            invoice(recipient=replace(IRISH, tax_id_kind="passport"), operation_date=BEFORE_2021),
        ),
    ],
    ("1155", "thirdParty"): [
        (by_nobody(party), third())
        for party in (
            ISSUER,
            replace(AGENCY, name=""),
            replace(PERSON, tax_id_kind="official_id"),
            replace(AMERICAN, tax_id="1" * 21),
        )
    ]
    + [
        (by_nobody(FRENCH_AGENCY, simplified), third(FRENCH_AGENCY)),
        (replace(by_nobody(IRISH), operation_date=BEFORE_2021), third(IRISH)),
    ],
    ("1178", "thirdParty.taxId"): [
        (simplified(issued_by=IssuedBy.THIRD_PARTY, third_party=replace(AGENCY, tax_id=None)), third()),
    ],
    ("1211", "thirdParty.taxIdKind"): [(third(PERSON, tax_id="12345678A"), third())],
    ("1156", "thirdParty.taxId"): [
        (
            simplified(issued_by=IssuedBy.THIRD_PARTY, third_party=FRENCH_AGENCY),
            simplified(issued_by=IssuedBy.THIRD_PARTY, third_party=fine),
        )
        for fine in (AGENCY, AMERICAN)
    ],
    ("1238", "items"): [
        (
            invoice(carrying(line(category=EXEMPT, tax="IGIC"), "0.00", surcharge_rate=Decimal("5.2"))),
            invoice(line(category=EXEMPT, tax="IGIC")),
        ),
    ],
    ("1237", "items"): [
        (
            invoice(carrying(line(category=SERVICES)), recipient=FRENCH),
            invoice(line(category=SERVICES), recipient=FRENCH),
        ),
        (
            invoice(carrying(UNTAXED, "0.00", surcharge_rate=Decimal("5.2"))),
            invoice(UNTAXED),
        ),
    ],
    ("1140", "items"): [
        (cost("-100.00"), at_cost(credit_note, "-100.00")),
        (cost("-100.00"), cost("0.00", "9.00")),
    ],
    ("1142", "items"): [
        (
            credit_note(carrying(line(), "31.01"), correction=substitution(reason="R4")),
            credit_note(carrying(line(), "31.01"), correction=substitution(reason="R2")),
        ),
    ],
    ("1124", "items"): [(invoice(line(rate="1000")), invoice(line(rate="21")))],
    ("1127", "items"): [
        (surcharged("21", "5"), invoice(line(tax="IGIC", rate="7", surcharge="5"))),
    ],
    ("1163", "items"): [
        (surcharged("10", "5.2"), invoice(line(tax="IGIC", rate="10", surcharge="5.2"))),
    ],
    ("1167", "items"): [
        (
            surcharged("5", "0.5", date(2023, 1, 1)),
            on(date(2023, 1, 1), line(tax="IGIC", rate="5", surcharge="0.5")),
        ),
    ],
    ("1194", "items"): [
        (surcharged("5", "0.5", date(2024, 10, 1)), surcharged("5", "0.62", date(2024, 9, 30))),
    ],
    ("1199", "items"): [
        (
            invoice(line(category=EXEMPT, exemption_code="E3", regime_key="01")),
            invoice(line(category=EXEMPT, exemption_code="E3")),
        ),
    ],
    ("1202", "items"): [
        (at_cost(simplified), cost("100.00")),
        (
            credit_note(*cost("-100.00", "-21.00").taxes, recipient=None),
            credit_note(*cost("-100.00", "-21.00").taxes, correction=correction(documents=(ORIGINAL,))),
        ),
    ],
    ("1203", "items"): [
        (
            invoice(line(category=EXEMPT, exemption_code="E4", regime_key="07")),
            invoice(line(category=EXEMPT, exemption_code="E1", regime_key="07")),
        ),
    ],
    ("1206", "items"): [
        (invoice(line(rate="10", regime_key="11")), invoice(line(category=EXEMPT, regime_key="11"))),
    ],
}
