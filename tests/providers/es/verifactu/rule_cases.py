"""For each rule, by code and field, documents that break it alone, each beside its nearest neighbour that does not."""

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

from spanish_documents import (
    AMERICAN,
    CLIENT,
    FRENCH,
    ISSUER,
    TODAY,
    credit_note,
    invoice,
    line,
    not_subject,
    of_margin,
    simplified,
)

from ledgerkit.providers.api import Correction, DocumentRef, IssuedBy, TaxCategory

TOMORROW, YESTERDAY = TODAY + timedelta(days=1), TODAY - timedelta(days=1)
ORIGINAL = DocumentRef(number="F2026-0001", issue_date=TODAY)
TICKET = DocumentRef(number="T2026-0001", issue_date=TODAY)
AGENCY = replace(CLIENT, name="Gestoría SL", tax_id="J99216582")
IRISH = replace(AMERICAN, country="GB", tax_id="XI123456789")
CITY = replace(CLIENT, name="Ayuntamiento", tax_id="P2807900B")
PERSON = replace(CLIENT, tax_id="12345678Z", tax_id_kind="not_registered")
UNPAID = line(regime_key="15")
EXEMPT, EXPORT = TaxCategory.EXEMPT, TaxCategory.EXPORT
UNTAXED, UNTAXED_IGIC = not_subject(), not_subject(tax="IGIC")
REVERSED, GOODS, SERVICES = TaxCategory.REVERSE_CHARGE, TaxCategory.INTRA_EU_GOODS, TaxCategory.INTRA_EU_SERVICES


def correction(**changes):
    return Correction(**({"documents": (ORIGINAL,), "reason": "R1"} | changes))


def substitution(**changes):
    amounts = {"replaced_base": Decimal("90.00"), "replaced_tax": Decimal("18.90")}
    return correction(**({"method": "substitution"} | amounts | changes))


def client(party=CLIENT, *lines, **changes):
    """An invoice to `party`, changed so."""
    return invoice(*lines, recipient=replace(party, **changes))


def triangular(**changes):
    return invoice(line(category=GOODS), triangular=True, **changes)


def third(party=AGENCY, **changes):
    return invoice(issued_by=IssuedBy.THIRD_PARTY, third_party=replace(party, **changes))


def details(document=None, **given):
    return replace(document or invoice(), details=given)


def carrying(one, amount="21.00", **changes):
    """A tax line with a tax that its category does not have."""
    return replace(one, amount=Decimal(amount), **changes)


def on(day, *lines, **changes):
    return invoice(*lines, operation_date=day, **changes)


def surcharged(rate, surcharge, day=None):
    return invoice(line(rate=rate, surcharge=surcharge), operation_date=day)


def cost(base, amount="21.00", rate="21"):
    """An entry of regime 06, whose tax is on its base at cost."""
    one = line("200.00", rate, regime_key="06", cost_base=Decimal(base))
    return invoice(replace(one, amount=Decimal(amount)))


HEADING = {
    ("4116", "issuer.taxId"): [
        (invoice(issuer=replace(ISSUER, tax_id=wrong)), invoice()) for wrong in (None, "", "12345678A", "00000000T")
    ],
    ("1100", "issuer.name"): [(invoice(issuer=replace(ISSUER, name=" \x00")), invoice())],
    ("1104", "number"): [
        (invoice(number="F" * 61), invoice(number="F" * 60)),
        (invoice(number=""), invoice(number="1")),
    ],
    ("1130", "number"): [
        (invoice(number=wrong), invoice(number=fine))
        for wrong, fine in [("Ñ-1", "N-1"), ("F1 ", "F1"), (" F1", "F 1"), ("F\n1", "F~1"), ("F\x7f", "F}")]
    ],
    ("1287", "number"): [(invoice(number=f"F{mark}1"), invoice(number="F/1")) for mark in "\"'<>="],
    ("1112", "issueDate"): [(invoice(issue_date=TOMORROW), invoice(issue_date=TODAY))],
    ("1152", "issueDate"): [(invoice(issue_date=date(2024, 10, 27)), invoice(issue_date=date(2024, 10, 28)))],
    ("1146", "operationDate"): [
        (on(TODAY, issue_date=YESTERDAY), on(YESTERDAY, issue_date=YESTERDAY)),
        (on(TODAY, UNPAID, line(), issue_date=YESTERDAY), on(TODAY, UNPAID, issue_date=YESTERDAY)),
        (
            on(TODAY, line(tax="IPSI", regime_key="01"), issue_date=YESTERDAY),
            on(TODAY, line(tax="IGIC", regime_key="15"), issue_date=YESTERDAY),
        ),
    ],
    ("1173", "operationDate"): [(on(TOMORROW), on(TODAY)), (on(TOMORROW), on(TOMORROW, UNPAID))],
    ("1125", "operationDate"): [(on(date(2028, 1, 1), UNPAID), on(date(2027, 12, 31), UNPAID))],
    ("1134", "operationDate"): [(on(date(2006, 11, 19)), on(date(2006, 11, 20)))],
    ("1100", "currency"): [(invoice(currency="USD"), invoice())],
    ("1100", "items[0].description"): [(invoice(description="\x01 "), invoice(description="-"))],
    ("1150", "total"): [
        (simplified(line("2487.61", "21")), simplified(line("2487.60", "21"))),
        (simplified(line("3010.01", category=EXEMPT)), simplified(line("3010.00", category=EXEMPT))),
        (simplified(line("3010.01", category=EXEMPT)), credit_note(line("3010.01", category=EXEMPT), recipient=None)),
        (
            simplified(line("3010.01", category=EXEMPT)),
            details(simplified(line("3010.01", category=EXEMPT)), invoicingAgreement="A-1"),
        ),
        (simplified(of_margin(untaxed="2889.01")), simplified(of_margin(untaxed="2889.00"))),
        (
            simplified(line("3010.01", category=EXEMPT)),
            details(invoice(line("3010.01", category=EXEMPT)), withoutRecipientId=True),
        ),
    ],
    ("1100", "total"): [
        (invoice(line("1000000000000.00", category=EXEMPT)), invoice(line("999999999999.99", category=EXEMPT))),
        (invoice(line("-1000000000000.00", category=EXEMPT)), invoice(line("-999999999999.99", category=EXEMPT))),
    ],
}

MANY = tuple(DocumentRef(number=f"F{ordinal}", issue_date=TODAY) for ordinal in range(1001))
KINDS = {
    ("1106", "correctionReason"): [
        (credit_note(correction=correction(reason="R6")), credit_note(correction=correction(reason="R4")))
    ],
    ("1114", "rectifies"): [(replace(credit_note(), correction=None), credit_note())],
    ("1117", "rectifies"): [(invoice(correction=correction()), invoice())],
    ("1118", "correctionMethod"): [
        (credit_note(correction=substitution(replaced_base=None)), credit_note(correction=substitution())),
        (credit_note(correction=substitution(replaced_tax=None)), credit_note(correction=correction())),
    ],
    ("4113", "rectifies"): [
        (credit_note(correction=correction(documents=MANY)), credit_note(correction=correction(documents=MANY[:1000]))),
        (credit_note(correction=correction(documents=MANY)), credit_note(correction=correction(documents=()))),
    ],
    ("1116", "substitutes"): [
        (simplified(substitutes=(TICKET,)), invoice(substitutes=(TICKET,))),
        (credit_note(substitutes=(TICKET,)), credit_note()),
    ],
    ("4113", "substitutes"): [(invoice(substitutes=MANY), invoice(substitutes=MANY[:1000]))],
    ("1183", "fiscalDetails.identifiedRecipient"): [
        (
            details(credit_note(recipient=None), identifiedRecipient=True),
            details(credit_note(), identifiedRecipient=True),
        )
    ],
    ("1136", "fiscalDetails.identifiedRecipient"): [
        (details(identifiedRecipient="S"), details(identifiedRecipient=False))
    ],
    ("1185", "fiscalDetails.withoutRecipientId"): [
        (
            details(credit_note(correction=correction()), withoutRecipientId=True),
            details(credit_note(correction=correction(reason=None)), withoutRecipientId=True),
        )
    ],
    ("1184", "fiscalDetails.withoutRecipientId"): [(details(withoutRecipientId="S"), details(withoutRecipientId=True))],
    ("1157", "fiscalDetails.coupon"): [
        (
            details(credit_note(correction=correction(reason="R4")), coupon=True),
            details(credit_note(correction=correction(reason=reason)), coupon=True),
        )
        for reason in ("R1", "R5")
    ],
    ("1100", "fiscalDetails.marginGoods"): [
        (details(marginGoods=wrong), details(marginGoods="art")) for wrong in ("books", True)
    ],
    ("1100", "fiscalDetails.coupon"): [(details(coupon="S"), details(coupon=False))],
    ("1253", "fiscalDetails.externalReference"): [
        (details(externalReference="x" * 61), details(externalReference="x" * 60))
    ],
    ("1100", "fiscalDetails.invoicingAgreement"): [
        (details(invoicingAgreement="x" * 16), details(invoicingAgreement="x" * 15))
    ],
    ("1100", "fiscalDetails.systemAgreement"): [(details(systemAgreement="x" * 17), details(systemAgreement="x" * 16))],
    ("1100", "fiscalDetails"): [(details(cupon=True), details(coupon=False))],
}

CLIENTS = {
    ("1189", "client"): [
        (invoice(recipient=None), simplified()),
        (credit_note(recipient=None, correction=correction()), credit_note(recipient=None)),
    ],
    ("1100", "client.name"): [(client(name=" "), client(name="A"))],
    ("1189", "client.taxId"): [(client(tax_id=None), client()), (client(AMERICAN, tax_id=" "), client(AMERICAN))],
    ("1123", "client.taxId"): [
        (client(tax_id=wrong), client(tax_id="ES-B64717838")) for wrong in ("B64717839", "X", "FR61954506077", "0" * 9)
    ],
    ("1290", "client.taxId"): [(client(PERSON, tax_id="12345678A"), client(PERSON))],
    ("1126", "client.taxIdKind"): [
        (client(PERSON, country="FR"), client(PERSON)),
        (client(PERSON, tax_id_kind="official_id"), client(PERSON, tax_id_kind="passport")),
        (client(PERSON, tax_id_kind="other"), client(PERSON, tax_id_kind="other", country="FR")),
    ],
    ("1131", "client.taxId"): [(client(PERSON, tax_id="B64717838"), client(PERSON, tax_id="X1234567L"))],
    ("1103", "client.taxId"): [(client(AMERICAN, tax_id="1" * 21), client(AMERICAN, tax_id="1" * 20))],
    ("1103", "client.country"): [
        (client(FRENCH, tax_id="FR6195450607"), client(FRENCH, tax_id="FR61954506077")),
        (client(FRENCH, tax_id="FR6195450607"), client(FRENCH, tax_id="FR6195450607", tax_id_kind="official_id")),
        (client(FRENCH, country="GR", tax_id="EL12345678"), client(FRENCH, country="GR", tax_id="EL123456789")),
    ],
    ("1122", "client.country"): [
        (client(FRENCH, tax_id="DE123456789"), client(FRENCH, tax_id="DE123456789", country="DE")),
        (client(FRENCH, tax_id="EL123456789"), client(FRENCH, tax_id="EL123456789", country="GR")),
    ],
    ("1254", "client.taxId"): [
        (
            invoice(recipient=IRISH, operation_date=date(2020, 12, 31)),
            invoice(recipient=IRISH, operation_date=date(2021, 1, 1)),
        )
    ],
    ("1289", "client.taxId"): [(client(CLIENT, line(category=GOODS)), client(FRENCH, line(category=GOODS)))],
    ("VAT_NUMBER_MISSING", "client.taxId"): [
        (client(AMERICAN, line(category=GOODS)), client(IRISH, line(category=GOODS))),
        (client(CLIENT, line(category=SERVICES)), client(FRENCH, line(category=SERVICES))),
        (client(AMERICAN, line(category=SERVICES)), client(AMERICAN, UNTAXED)),
        (simplified(line(category=SERVICES)), simplified(UNTAXED)),
        (triangular(recipient=CLIENT), triangular(recipient=FRENCH)),
        (simplified(line(category=GOODS), triangular=True), simplified(UNTAXED)),
    ],
}

FRENCH_AGENCY = replace(FRENCH, name="Agence")
THIRD_PARTIES = {
    ("1186", "thirdParty"): [(invoice(issued_by=IssuedBy.THIRD_PARTY), third())],
    ("1155", "thirdParty"): [(invoice(third_party=AGENCY), third())],
    ("1159", "thirdParty"): [
        (invoice(issued_by=IssuedBy.RECIPIENT, third_party=AGENCY), invoice(issued_by=IssuedBy.RECIPIENT))
    ],
    ("1158", "issuedBy"): [(simplified(issued_by=IssuedBy.RECIPIENT), invoice(issued_by=IssuedBy.RECIPIENT))],
    ("1100", "thirdParty.name"): [(third(name=""), third())],
    ("1178", "thirdParty.taxId"): [
        (third(tax_id="J99216583"), third()),
        (third(tax_id=None), third(tax_id="12345678Z", tax_id_kind="passport")),
    ],
    ("1211", "thirdParty.taxIdKind"): [(third(PERSON), third(PERSON, tax_id_kind="passport"))],
    ("1232", "thirdParty.taxIdKind"): [
        (third(PERSON, tax_id_kind="official_id"), third(PERSON, tax_id_kind="passport")),
        (third(PERSON, tax_id_kind="official_id"), third(PERSON, tax_id_kind="official_id", country="FR")),
    ],
    ("1103", "thirdParty.taxId"): [(third(AMERICAN, tax_id="1" * 21), third(AMERICAN, tax_id="1" * 20))],
    ("1156", "thirdParty.taxId"): [
        (
            simplified(issued_by=IssuedBy.THIRD_PARTY, third_party=FRENCH_AGENCY),
            invoice(issued_by=IssuedBy.THIRD_PARTY, third_party=FRENCH_AGENCY),
        )
    ],
    ("1254", "thirdParty.taxId"): [
        (
            replace(third(IRISH), operation_date=date(2020, 12, 31)),
            replace(third(IRISH), operation_date=date(2021, 1, 1)),
        )
    ],
    ("1188", "thirdParty.taxId"): [(third(ISSUER), third())],
}

FULL = tuple(line(tax="OTHER", rate=str(rate)) for rate in range(1, 13))
TAXES = {
    ("4102", "items"): [(replace(invoice(), taxes=()), invoice())],
    ("4113", "items"): [(invoice(*FULL, line()), invoice(*FULL))],
    ("1218", "items"): [(invoice(line(tax="VAT")), invoice(line(tax="OTHER")))],
    ("1246", "items"): [
        (invoice(line(regime_key="12")), invoice(line(regime_key="17"))),
        (invoice(line(regime_key="21")), invoice(line(tax="IGIC", regime_key="21"))),
        (invoice(line(tax="IPSI", regime_key="07")), invoice(line(regime_key="07"))),
    ],
    ("1260", "items"): [(invoice(line(tax="OTHER", regime_key="01")), invoice(line(tax="OTHER")))],
    ("1182", "items"): [
        (
            invoice(line(category=EXEMPT, exemption_code="E7")),
            invoice(line(category=EXEMPT, exemption_code="E7", tax="IGIC")),
        )
    ],
    ("1196", "items"): [(invoice(line(exemption_code="E1")), invoice(line(category=EXEMPT, exemption_code="E1")))],
    ("1238", "items"): [
        (invoice(carrying(line(category=EXEMPT))), invoice(line(category=EXEMPT))),
        (
            invoice(carrying(line(category=EXEMPT), "0.00", surcharge_rate=Decimal("5.2"))),
            invoice(line(category=EXEMPT)),
        ),
    ],
    ("1237", "items"): [(invoice(carrying(UNTAXED)), invoice(UNTAXED))],
    ("1207", "items"): [(invoice(carrying(UNTAXED_IGIC)), invoice(UNTAXED_IGIC))],
    ("1198", "items"): [
        (invoice(carrying(line(category=REVERSED))), invoice(line(category=REVERSED))),
        (invoice(replace(line(category=REVERSED), rate=Decimal(21))), invoice(line(category=REVERSED))),
    ],
    ("1197", "items"): [(simplified(line(category=REVERSED)), invoice(line(category=REVERSED)))],
    ("1281", "items"): [
        (invoice(replace(line(category=REVERSED), surcharge_rate=Decimal("5.2"))), invoice(line(category=REVERSED))),
        (
            invoice(replace(UNTAXED_IGIC, surcharge_rate=Decimal("5.2"))),
            invoice(UNTAXED_IGIC),
        ),
    ],
    ("1284", "items"): [
        (invoice(replace(line(surcharge="5.2"), surcharge_rate=None)), invoice(line(surcharge="5.2"))),
    ],
    ("1289", "items"): [
        (simplified(line(category=GOODS)), invoice(line(category=GOODS), recipient=FRENCH)),
        (simplified(line(category=GOODS)), simplified(line(category=GOODS, tax="OTHER"), recipient=None)),
    ],
    ("NOT_SUBJECT_REASON_MISSING", "items"): [
        (invoice(not_subject(None)), invoice(not_subject("article_7"))),
        (invoice(not_subject(None), recipient=AMERICAN), invoice(not_subject("location_rules"), recipient=AMERICAN)),
        (invoice(not_subject(None), place_of_supply="ES"), invoice(not_subject(None), place_of_supply="FR")),
        (invoice(not_subject(None), place_of_supply="Francia"), invoice(not_subject(None), place_of_supply=" fr ")),
        (simplified(not_subject(None, regime_key="01")), simplified(not_subject(None, regime_key="17"))),
        (invoice(not_subject(None, tax="IGIC", regime_key="17")), invoice(not_subject(tax="IGIC", regime_key="17"))),
    ],
    ("1257", "items"): [
        (invoice(line(cost_base=Decimal("80.00"))), invoice(line(tax="IPSI", cost_base=Decimal("80.00")))),
    ],
    ("1100", "items[0].taxRate"): [
        (invoice(line(tax="OTHER", rate="1000")), invoice(line(tax="OTHER", rate="999.99"))),
        (invoice(line(tax="IGIC", rate="9.505")), invoice(line(tax="IGIC", rate="9.51"))),
    ],
    ("1143", "items"): [
        (invoice(carrying(line(), "-0.01")), invoice(carrying(line("0.00"), "-0.01"))),
        (invoice(carrying(line(), "-21.00")), credit_note(carrying(line(), "-21.00"))),
    ],
    ("1140", "items"): [(cost("-100.00"), cost("100.00"))],
    ("1142", "items"): [
        (invoice(carrying(line(), "31.01")), invoice(carrying(line(), "31.00"))),
        (invoice(carrying(line(), "10.99")), invoice(carrying(line(), "11.00"))),
        (invoice(carrying(line(), "31.01")), credit_note(carrying(line(), "31.01"))),
        (
            credit_note(carrying(line(), "31.01"), correction=substitution(reason="R4")),
            credit_note(carrying(line(), "31.01"), correction=substitution(reason="R3")),
        ),
    ],
    ("1144", "items"): [(cost("100.00", "31.01"), cost("100.00", "31.00"))],
}

RATES = {
    ("1124", "items"): [(invoice(line(rate="18")), invoice(line(rate="10")))],
    ("1194", "items"): [
        (on(date(2024, 10, 1), line(rate="5")), on(date(2024, 9, 30), line(rate="5"))),
        (on(date(2022, 6, 30), line(rate="5")), on(date(2022, 7, 1), line(rate="5"))),
    ],
    **{
        (code, "items"): [
            (on(date(2024, 9, 30), line(rate=rate)), on(date(2024, 10, 1), line(rate=rate))),
            (on(date(2025, 1, 1), line(rate=rate)), on(date(2024, 12, 31), line(rate=rate))),
        ]
        for code, rate in (("1235", "2"), ("1236", "7.5"))
    },
    ("1127", "items"): [(surcharged("21", "5"), surcharged("21", "5.2"))],
    ("1162", "items"): [
        (surcharged("21", "1.4"), surcharged("21", "1.75")),
        (surcharged("21", "0.5"), invoice(line(surcharge="0"))),
    ],
    ("1163", "items"): [(surcharged("10", "5.2"), surcharged("10", "1.4"))],
    ("1164", "items"): [(surcharged("4", "0.62"), surcharged("4", "0.5"))],
    ("1160", "items"): [(surcharged("5", "1.4", date(2024, 9, 30)), surcharged("5", "0.62", date(2024, 9, 30)))],
    ("1169", "items"): [(surcharged("7.5", "1.4", date(2024, 10, 1)), surcharged("7.5", "1", date(2024, 10, 1)))],
    ("1166", "items"): [(surcharged("2", "0.5", date(2024, 10, 1)), surcharged("2", "0.26", date(2024, 10, 1)))],
    ("1277", "items"): [(surcharged("0", "0.26"), invoice(line(rate="0")))],
    ("1167", "items"): [(surcharged("5", "0.5", date(2023, 1, 1)), surcharged("5", "0.5", date(2022, 12, 31)))],
    ("1168", "items"): [(surcharged("5", "0.62", date(2022, 12, 31)), surcharged("5", "0.62", date(2023, 1, 1)))],
}

COLLECTED, CERTIFICATE = not_subject(None, regime_key="10"), line(regime_key="14")


def certified(**changes):
    """Works certified to a public body."""
    return invoice(CERTIFICATE, **({"recipient": CITY, "operation_date": TOMORROW} | changes))


REGIMES = {
    ("1199", "items"): [
        (
            client(AMERICAN, line(category=EXPORT, regime_key="01")),
            client(AMERICAN, line(category=EXPORT, exemption_code="E4", regime_key="01")),
        ),
        (
            client(AMERICAN, line(category=EXPORT, regime_key="01", tax="IGIC")),
            client(AMERICAN, line(category=EXPORT, regime_key="01", tax="IPSI")),
        ),
    ],
    ("1286", "items"): [(invoice(line(regime_key="02")), invoice(line(category=EXEMPT, regime_key="02")))],
    ("1200", "items"): [
        (invoice(not_subject(regime_key="03")), invoice(of_margin())),
        (invoice(line(category=REVERSED, regime_key="03")), invoice(line(category=EXEMPT, regime_key="03"))),
    ],
    ("MARGIN_MISSING", "items"): [
        (invoice(line(regime_key="03")), invoice(of_margin())),
        (invoice(line(regime_key="05")), invoice(of_margin("05", "0.00"))),
        (invoice(line(tax="IGIC", regime_key="05")), invoice(line(category=EXEMPT, tax="IGIC", regime_key="05"))),
        (
            credit_note(line("-100.00", regime_key="03"), correction=substitution()),
            credit_note(line("-100.00", regime_key="03")),
        ),
    ],
    ("1201", "items"): [
        (invoice(line(regime_key="04")), invoice(line(category=REVERSED, regime_key="04"))),
        (invoice(not_subject(regime_key="04")), invoice(line(category=EXEMPT, regime_key="04"))),
    ],
    ("1202", "items"): [
        (invoice(line(regime_key="06")), cost("100.00")),
        (replace(cost("100.00"), substitutes=(TICKET,)), cost("100.00")),
    ],
    ("1203", "items"): [
        (invoice(line(category=REVERSED, regime_key="07")), invoice(line(regime_key="07"))),
        (invoice(not_subject(regime_key="07")), invoice(line(regime_key="07"))),
        (
            invoice(line(category=EXEMPT, exemption_code="E4", regime_key="07")),
            invoice(line(category=EXEMPT, exemption_code="E6", regime_key="07")),
        ),
    ],
    ("1252", "items"): [
        (invoice(line(regime_key="08")), invoice(not_subject(None, regime_key="08"))),
        (invoice(not_subject("article_7", regime_key="08")), invoice(not_subject("location_rules", regime_key="08"))),
    ],
    ("1205", "items"): [
        (wrong, invoice(COLLECTED))
        for wrong in (invoice(line(regime_key="10")), invoice(COLLECTED, recipient=PERSON), credit_note(COLLECTED))
    ],
    ("1206", "items"): [
        (invoice(line(rate="10", regime_key="11")), invoice(line(regime_key="11"))),
        (invoice(line(rate="10", regime_key="11")), invoice(line(rate="7", regime_key="11", tax="IGIC"))),
    ],
    ("1147", "items"): [(certified(operation_date=day), certified()) for day in (None, TODAY)],
    ("1148", "items"): [
        (simplified(CERTIFICATE, operation_date=TOMORROW), certified()),
        (
            certified(substitutes=(TICKET,)),
            credit_note(line("-1.00", regime_key="14"), recipient=CITY, operation_date=TOMORROW),
        ),
    ],
    ("1149", "items"): [
        (certified(recipient=CLIENT), certified()),
        (certified(recipient=AMERICAN), certified(recipient=replace(CITY, tax_id="S2833002E"))),
    ],
    ("1293", "items"): [
        (invoice(line(tax="IGIC", regime_key="20")), invoice(not_subject(None, tax="IGIC", regime_key="20"))),
        (invoice(line(tax="IGIC", regime_key="20")), invoice(line(regime_key="20"))),
    ],
}

CASES = {**HEADING, **KINDS, **CLIENTS, **THIRD_PARTIES, **TAXES, **RATES, **REGIMES}

NOT_WRITTEN = {
    ("1100", "issuer.name"): 4102,
    ("1126", "client.taxIdKind", 0): 1189,
    ("1126", "client.taxIdKind", 3): 1189,
    ("1100", "items[0].taxRate", 1): None,
    ("1114", "rectifies"): None,
    ("1117", "rectifies"): None,
    ("1118", "correctionMethod"): None,
    ("1116", "substitutes"): None,
    ("1136", "fiscalDetails.identifiedRecipient"): None,
    ("1184", "fiscalDetails.withoutRecipientId"): None,
    ("1100", "fiscalDetails.marginGoods"): None,
    ("1150", "total", 4): None,
    ("1100", "fiscalDetails.coupon"): None,
    ("1253", "fiscalDetails.externalReference"): None,
    ("1100", "fiscalDetails.invoicingAgreement"): None,
    ("1100", "fiscalDetails.systemAgreement"): None,
    ("1100", "fiscalDetails"): None,
    ("1100", "currency"): None,
    ("1189", "client.taxId"): 1189,
    ("1123", "client.taxId"): 1189,
    ("1290", "client.taxId"): 1189,
    ("1103", "client.taxId"): None,
    ("1103", "client.country"): None,
    ("1122", "client.country"): None,
    ("1155", "thirdParty"): None,
    ("1159", "thirdParty"): None,
    ("1178", "thirdParty.taxId"): 1186,
    ("1211", "thirdParty.taxIdKind", 1): 1186,
    ("1103", "thirdParty.taxId"): None,
    ("1218", "items"): None,
    ("1260", "items"): None,
    ("1196", "items"): None,
    ("1238", "items", 0): 2005,
    ("1238", "items", 1): None,
    ("1238", "items", 2): None,
    ("1237", "items", 0): 2005,
    ("1237", "items", 1): 2005,
    ("1237", "items", 2): None,
    ("1124", "items", 1): 1100,
    ("1207", "items", 0): 2005,
    ("1198", "items", 0): 2005,
    ("1198", "items", 1): None,
    ("1281", "items"): None,
    ("1284", "items"): None,
    ("VAT_NUMBER_MISSING", "client.taxId"): None,
    ("NOT_SUBJECT_REASON_MISSING", "items"): None,
    ("MARGIN_MISSING", "items"): None,
}
"""Cases whose breach a record of ours cannot carry: what the sandbox says of the record that is made instead.

By code and field, or by the case's place among theirs, those of `rule_borders` after these. A breach would be dropped
(an exempt line has no place for a tax), cut or rounded, or turned into another one (a client without a valid NIF is not
named at all; the issuer is named in the header first). The caller is told instead. The last three are the law's
alone.
"""
