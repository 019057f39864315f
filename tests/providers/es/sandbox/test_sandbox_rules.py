"""Each rule is broken by one change to a record that is accepted without it."""

from datetime import UTC, timedelta

import pytest
from sandbox_messages import (
    ISSUER,
    RECIPIENT,
    alta,
    anulacion,
    exempt,
    invoice,
    line,
    link,
    lone,
    not_taxed,
    now,
    other_id,
    recipient,
    system,
)

LATER, YESTERDAY, TODAY = (f"{now() + timedelta(days=days):%d-%m-%Y}" for days in (2, -1, 0))
"""Two days later, so that it still lies ahead when midnight passes during the tests."""
RECTIFIED = {"IDFacturaRectificada": invoice("F2026-0001")}
REPLACED = {"IDFacturaSustituida": invoice("S2026-0001")}
FIVE = {"TipoImpositivo": "5", "CuotaRepercutida": "5.00"}
ZERO = {"TipoImpositivo": "0", "CuotaRepercutida": "0.00"}
IN_2022, IN_2023 = {"FechaOperacion": "01-08-2022"}, {"FechaOperacion": "01-08-2023"}
REPLACED_AMOUNTS = {"BaseRectificada": "100.00", "CuotaRectificada": "21.00"}
SIMPLIFIED = {"TipoFactura": "F2", "Destinatarios": None}
CREDIT = {
    "TipoFactura": "R1",
    "TipoRectificativa": "I",
    "FacturasRectificadas": RECTIFIED,
    "lines": [line(BaseImponibleOimporteNoSujeto="-100.00", CuotaRepercutida="-21.00")],
    "CuotaTotal": "-21.00",
    "ImporteTotal": "-121.00",
}
NO_TAX = {"CuotaTotal": "0.00", "ImporteTotal": "100.00"}
SURCHARGE = {"TipoRecargoEquivalencia": "5.2", "CuotaRecargoEquivalencia": "5.20"}
BIG = {"BaseImponibleOimporteNoSujeto": "100000000.00", "CuotaRepercutida": "21000000.00"}
BIG_TOTALS = {"CuotaTotal": "21000000.00", "ImporteTotal": "121000000.00"}
FOREIGN = {"Destinatarios": recipient(**other_id("02", "DE123456789", "DE"))}
AT_RATE_ZERO = line(CalificacionOperacion="S2", TipoImpositivo="0", CuotaRepercutida="0.00")


ANNULLED = anulacion()["IDFactura"]


def to(kind, number, country=None):
    return {"Destinatarios": recipient(**other_id(kind, number, country))}


def by(party, role="T"):
    return {"EmitidaPorTerceroODestinatario": role, "Tercero": {"NombreRazon": "Gestoría SL"} | party}


def utc(moment):
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


ACCEPTED = {
    "full invoice": {},
    "simplified": SIMPLIFIED,
    "simplified of 3,010 with tax": SIMPLIFIED
    | {
        "lines": [line(BaseImponibleOimporteNoSujeto="2487.60", CuotaRepercutida="522.40")],
        "CuotaTotal": "522.40",
        "ImporteTotal": "3010.00",
    },
    "credit note by differences": CREDIT,
    "credit note by substitution": {
        "TipoFactura": "R4",
        "TipoRectificativa": "S",
        "ImporteRectificacion": REPLACED_AMOUNTS,
    },
    "in place of simplified ones": {"TipoFactura": "F3", "FacturasSustituidas": REPLACED},
    "exempt": {"lines": [exempt("E1")]} | NO_TAX,
    "export": {"lines": [exempt("E2", ClaveRegimen="02")]} | NO_TAX,
    "goods to another member state": {"lines": [exempt("E5")]} | NO_TAX | FOREIGN,
    "service to another member state": {"lines": [not_taxed("N2")]} | NO_TAX | FOREIGN,
    "reverse charge": {"lines": [AT_RATE_ZERO]} | NO_TAX,
    "surcharge": {"lines": [line(**SURCHARGE)], "CuotaTotal": "26.20", "ImporteTotal": "126.20"},
    "premises with retention": {"lines": [line(ClaveRegimen="11")]},
    "two rates": {
        "lines": [line(), line(TipoImpositivo="10", CuotaRepercutida="10")],
        "CuotaTotal": "31",
        "ImporteTotal": "231.",
    },
    "large": {"Macrodato": "S", "lines": [line(**BIG)]} | BIG_TOTALS,
    "amount within ten euro": {"lines": [line(CuotaRepercutida="31.00")], "CuotaTotal": "31", "ImporteTotal": "131"},
    "NIE whose digits behind Y are zeros": {"Destinatarios": recipient(NIF="Y0000000Z")},
    "NIE whose digits behind Z are zeros": {"Destinatarios": recipient(NIF="Z0000000M")},
    "passport": to("03", "X1234", "US"),
    "Greek VAT number": to("02", "EL123456789", "GR"),
    "natural person not in the census": to("07", "12345678Z", "ES"),
    "issued by a third party": by({"NIF": "89890004R"}),
    "issued by the recipient": {"EmitidaPorTerceroODestinatario": "D"},
    "operation before the issue": {"FechaOperacion": YESTERDAY},
}


@pytest.mark.parametrize("changes", ACCEPTED.values(), ids=ACCEPTED)
async def test_right_records_are_accepted(judge, changes):
    assert await judge(lone(**changes)) is None


def issued(**changes):
    return {"IDFactura": invoice() | changes}


REFUSED = [
    (1251, {"IDVersion": "1.1"}),
    (1108, issued(IDEmisorFactura="89890002E")),
    (1104, issued(NumSerieFactura="F" * 61)),
    (1130, issued(NumSerieFactura="FAÇ-1")),
    (1130, issued(NumSerieFactura="F\t1")),
    (1287, issued(NumSerieFactura="F<1")),
    (1287, issued(NumSerieFactura='F"1')),
    (1287, issued(NumSerieFactura="F=1")),
    (1105, issued(FechaExpedicionFactura="31-02-2026")),
    (1112, issued(FechaExpedicionFactura=LATER)),
    (1152, issued(FechaExpedicionFactura="27-10-2024")),
    (1253, {"RefExterna": "R" * 61}),
    (1100, {"NombreRazonEmisor": ""}),
    (1100, {"NombreRazonEmisor": "E" * 121}),
    (1100, {"DescripcionOperacion": "D" * 501}),
    (1171, {"Subsanacion": "X"}),
    (1171, {"Subsanacion": "S", "RechazoPrevio": "Z"}),
    (1153, {"RechazoPrevio": "X"}),
    (1161, {"RechazoPrevio": "S", "Subsanacion": "N"}),
    (1106, {"TipoFactura": "F9"}),
    (1107, CREDIT | {"TipoRectificativa": "X"}),
    (1114, {"TipoFactura": "R1"}),
    (1115, {"TipoRectificativa": "I"}),
    (1116, {"FacturasSustituidas": REPLACED}),
    (1117, {"FacturasRectificadas": RECTIFIED}),
    (1118, {"TipoFactura": "R1", "TipoRectificativa": "S"}),
    (1119, CREDIT | {"ImporteRectificacion": REPLACED_AMOUNTS}),
    (1154, CREDIT | {"FacturasRectificadas": {"IDFacturaRectificada": invoice("F1", issuer="89890001A")}}),
    (
        1154,
        {"TipoFactura": "F3", "FacturasSustituidas": {"IDFacturaSustituida": invoice("S1", issuer="89890001A")}},
    ),
    (1145, {"FechaOperacion": "2026-03-01"}),
    (1134, {"FechaOperacion": "01-03-2001"}),
    (1125, {"FechaOperacion": "01-01-2099"}),
    (1173, {"FechaOperacion": LATER}),
    (1146, issued(FechaExpedicionFactura=YESTERDAY) | {"FechaOperacion": TODAY}),
    (1136, {"FacturaSimplificadaArt7273": "X"}),
    (1183, SIMPLIFIED | {"FacturaSimplificadaArt7273": "S"}),
    (1184, SIMPLIFIED | {"FacturaSinIdentifDestinatarioArt61d": "X"}),
    (1185, {"FacturaSinIdentifDestinatarioArt61d": "S"}),
    (1137, {"Macrodato": "X"}),
    (1138, {"Macrodato": "S"}),
    (1139, {"lines": [line(**BIG)]} | BIG_TOTALS),
    (1151, by({"NIF": "89890004R"}, role="X")),
    (1155, by({"NIF": "89890004R"}, role=None)),
    (1159, by({"NIF": "89890004R"}, role="D")),
    (1186, {"EmitidaPorTerceroODestinatario": "T"}),
    (1158, SIMPLIFIED | {"EmitidaPorTerceroODestinatario": "D"}),
    (1178, by({})),
    (1178, by({"NIF": "89890004A"})),
    (1188, by({"NIF": ISSUER})),
    (1211, by(other_id("07", "12345678Z", "ES"))),
    (1232, by(other_id("04", "12345678Z", "ES"))),
    (1189, {"Destinatarios": None}),
    (1190, {"TipoFactura": "F2"}),
    (1123, {"Destinatarios": recipient(NIF="89890002A")}),
    (1123, {"Destinatarios": recipient(NIF="00000000T")}),
    (1123, {"Destinatarios": recipient(NIF="X0000000T")}),
    (1239, {"Destinatarios": {"IDDestinatario": {"NombreRazon": "Cliente SA"}}}),
    (1100, {"Destinatarios": recipient(name="")}),
    (1102, to("01", "X1", "US")),
    (1103, to("04", "", "US")),
    (1103, to("04", "X" * 21, "US")),
    (1111, to("04", "X1")),
    (1101, to("04", "X1", "usa")),
    (1122, to("02", "FR12345678901", "DE")),
    (1103, to("02", "DE12345678", "DE")),
    (1103, to("02", "US123456789")),
    (1255, to("02", "GB123456789", "GB")),
    (1254, to("02", "XI123456789", "GB") | {"FechaOperacion": "31-12-2020"}),
    (1156, SIMPLIFIED | by(other_id("02", "DE123456789", "DE"))),
    (1126, to("04", "X1", "ES")),
    (1126, to("07", "12345678Z", "FR")),
    (1290, to("07", "12345678A", "ES")),
    (1131, to("07", "A58818501", "ES")),
    (1157, {"Cupon": "S"}),
    (1157, {"Cupon": "X"}),
    (1100, {"CuotaTotal": "21,00"}),
    (1100, {"ImporteTotal": "1e2"}),
    (1100, {"lines": [line(CuotaRepercutida="21.001")]}),
    (1100, {"lines": [line(TipoImpositivo="-21")]}),
    (1218, {"lines": [line(Impuesto="09")]}),
    (1260, {"lines": [line(Impuesto="05")]}),
    (1245, {"lines": [line(ClaveRegimen=None)]}),
    (1246, {"lines": [line(ClaveRegimen="12")]}),
    (1246, {"lines": [line(ClaveRegimen="21")]}),
    (1195, {"lines": [line(CalificacionOperacion=None)]}),
    (1196, {"lines": [line(OperacionExenta="E1")]}),
    (1181, {"lines": [line(CalificacionOperacion="S3")]}),
    (1182, {"lines": [exempt("E7")]}),
    (1238, {"lines": [line(CalificacionOperacion=None, OperacionExenta="E1")]}),
    (1237, {"lines": [line(CalificacionOperacion="N1")]}),
    (1237, {"lines": [not_taxed("N2", TipoRecargoEquivalencia="5.2", CuotaRecargoEquivalencia="5.20")]}),
    (1197, SIMPLIFIED | {"lines": [AT_RATE_ZERO]}),
    (1198, {"lines": [line(CalificacionOperacion="S2")]}),
    (1198, {"lines": [not_taxed("S2")]}),
    (1207, {"lines": [line(Impuesto="03", CalificacionOperacion="N1")]}),
    (1208, {"lines": [line(CuotaRepercutida=None)]}),
    (1208, {"lines": [line(TipoImpositivo=None)]}),
    (1209, {"lines": [line(ClaveRegimen="06", BaseImponibleACoste="100", CuotaRepercutida=None)]}),
    (1289, {"lines": [exempt("E5")]}),
    (1199, {"lines": [exempt("E2")]}),
    (1286, {"lines": [line(ClaveRegimen="02")]}),
    (1200, {"lines": [not_taxed("N1", ClaveRegimen="03")]}),
    (1201, {"lines": [line(ClaveRegimen="04")]}),
    (1202, {"lines": [line(ClaveRegimen="06")]}),
    (1257, {"lines": [line(BaseImponibleACoste="100.00")]}),
    (1203, {"lines": [not_taxed("N1", ClaveRegimen="07")]}),
    (1252, {"lines": [line(ClaveRegimen="08")]}),
    (1205, {"lines": [line(ClaveRegimen="10")]}),
    (1206, {"lines": [line(ClaveRegimen="11", TipoImpositivo="10", CuotaRepercutida="10")]}),
    (1147, {"lines": [line(ClaveRegimen="14")]}),
    (1149, {"lines": [line(ClaveRegimen="14")], "FechaOperacion": LATER}),
    (1293, {"lines": [line(Impuesto="03", ClaveRegimen="20")]}),
    (1124, {"lines": [line(TipoImpositivo="16", CuotaRepercutida="16")]}),
    (1194, {"lines": [line(TipoImpositivo="5", CuotaRepercutida="5")]}),
    (1235, {"lines": [line(TipoImpositivo="2", CuotaRepercutida="2")]}),
    (1236, {"lines": [line(TipoImpositivo="7.5", CuotaRepercutida="7.5")]}),
    (1284, {"lines": [line(TipoRecargoEquivalencia="5.2")]}),
    (
        1281,
        {
            "lines": [
                line(Impuesto="03", CalificacionOperacion="N1", TipoImpositivo=None, CuotaRepercutida=None, **SURCHARGE)
            ]
        },
    ),
    (1162, {"lines": [line(TipoRecargoEquivalencia="1.4", CuotaRecargoEquivalencia="1.40")]}),
    (1127, {"lines": [line(TipoRecargoEquivalencia="3", CuotaRecargoEquivalencia="3")]}),
    (1148, SIMPLIFIED | {"lines": [line(ClaveRegimen="14")], "FechaOperacion": LATER}),
    (1167, {"lines": [line(**FIVE, TipoRecargoEquivalencia="0.5", CuotaRecargoEquivalencia="0.5")]} | IN_2023),
    (1168, {"lines": [line(**FIVE, TipoRecargoEquivalencia="0.62", CuotaRecargoEquivalencia="0.62")]} | IN_2022),
    (1160, {"lines": [line(**FIVE, TipoRecargoEquivalencia="1.4", CuotaRecargoEquivalencia="1.4")]} | IN_2022),
    (1165, {"lines": [line(**ZERO, TipoRecargoEquivalencia="0", CuotaRecargoEquivalencia="0")]}),
    (1277, {"lines": [line(**ZERO, TipoRecargoEquivalencia="0.5", CuotaRecargoEquivalencia="0.5")]}),
    (1144, {"lines": [line(ClaveRegimen="06", BaseImponibleACoste="10.00")]}),
    (1140, {"lines": [line(ClaveRegimen="06", BaseImponibleACoste="-100.00")]}),
    (1142, {"lines": [line(CuotaRepercutida="31.01")]}),
    (1143, {"lines": [line(CuotaRepercutida="-21.00")]}),
    (1150, SIMPLIFIED | {"lines": [line(BaseImponibleOimporteNoSujeto="2487.61", CuotaRepercutida="522.40")]}),
    (1274, {"Encadenamiento": {"PrimerRegistro": "N"}}),
    (1180, {"Encadenamiento": {}}),
    (1180, {"Encadenamiento": {"PrimerRegistro": "S"} | link(alta("F1"))}),
    (1123, {"Encadenamiento": {"RegistroAnterior": invoice("F1", issuer="89890001A") | {"Huella": "A" * 64}}}),
    (1175, {"Encadenamiento": {"RegistroAnterior": invoice("") | {"Huella": "A" * 64}}}),
    (1174, {"Encadenamiento": {"RegistroAnterior": invoice("F1", day="2026-01-01") | {"Huella": "A" * 64}}}),
    (1223, {"SistemaInformatico": system(NIF=None)}),
    (1176, {"SistemaInformatico": system(NIF="89890003A")}),
    (1221, {"SistemaInformatico": system(NIF=None, **other_id("07", "12345678Z", "ES"))}),
    (1177, {"SistemaInformatico": system(IdSistemaInformatico="lk")}),
    (1220, {"SistemaInformatico": system(NombreSistemaInformatico="N" * 31)}),
    (1179, {"SistemaInformatico": system(NumeroInstalacion="")}),
    (1212, {"SistemaInformatico": system(TipoUsoPosibleSoloVerifactu="1")}),
    (1213, {"SistemaInformatico": system(TipoUsoPosibleMultiOT="")}),
    (1226, {"SistemaInformatico": system(IndicadorMultiplesOT="true")}),
    (1244, {"FechaHoraHusoGenRegistro": "2026-03-01T10:00:00"}),
    (1244, {"FechaHoraHusoGenRegistro": "2026-03-01T10:00:00.5+01:00"}),
    (1244, {"FechaHoraHusoGenRegistro": "2026-03-01T10:00:00+0100"}),
    (1244, {"FechaHoraHusoGenRegistro": "2026-13-01T10:00:00+01:00"}),
    (1247, {"TipoHuella": "02"}),
    (1262, {"Huella": "ABC"}),
    (1292, {"Huella": "_" * 64}),
]


@pytest.mark.parametrize(
    ("code", "changes"), REFUSED, ids=[f"{code}-{place}" for place, (code, _) in enumerate(REFUSED)]
)
async def test_wrong_records_are_refused(shared_authority, judge, code, changes):
    record = lone(**changes)

    assert await judge(record) == code
    name = tuple(record["IDFactura"].values())
    assert name not in {entry.invoice for entry in shared_authority[0].records(ISSUER)}


@pytest.mark.parametrize(
    ("code", "changes"),
    [
        (1276, {"SinRegistroPrevio": "X"}),
        (1275, {"RechazoPrevio": "X"}),
        (1225, {"GeneradoPor": "X", "Generador": {"NombreRazon": "E", "NIF": RECIPIENT}}),
        (1224, {"GeneradoPor": "E"}),
        (1224, {"Generador": {"NombreRazon": "E", "NIF": RECIPIENT}}),
        (1228, {"GeneradoPor": "D", "Generador": {"NombreRazon": "E"}}),
        (1258, {"GeneradoPor": "D", "Generador": {"NombreRazon": "E", "NIF": "89890002A"}}),
        (1227, {"GeneradoPor": "E", "Generador": {"NombreRazon": "E"} | other_id("03", "X1", "US")}),
        (1259, {"GeneradoPor": "T", "Generador": {"NombreRazon": "E", "NIF": ISSUER}}),
        (1229, {"GeneradoPor": "T", "Generador": {"NombreRazon": "E"} | other_id("07", "12345678Z", "ES")}),
        (1234, {"GeneradoPor": "D", "Generador": {"NombreRazon": "E"} | other_id("04", "X1", "ES")}),
        (1232, {"GeneradoPor": "T", "Generador": {"NombreRazon": "E"} | other_id("04", "X1", "ES")}),
        (1111, {"GeneradoPor": "T", "Generador": {"NombreRazon": "E"} | other_id("04", "X1")}),
        (1222, {"GeneradoPor": "T", "Generador": {"NombreRazon": "E"} | other_id("04", "X" * 21, "US")}),
        (1100, {"GeneradoPor": "T", "Generador": {"NombreRazon": "", "NIF": RECIPIENT}}),
        (1231, {"GeneradoPor": "T", "Generador": {"NombreRazon": "E"} | other_id("09", "X1", "US")}),
        (1108, {"IDFactura": ANNULLED | {"IDEmisorFacturaAnulada": RECIPIENT}}),
        (1287, {"IDFactura": ANNULLED | {"NumSerieFacturaAnulada": "F>1"}}),
        (1244, {"FechaHoraHusoGenRegistro": "2026-03-01"}),
        (3002, {}),
    ],
)
async def test_wrong_annulments_are_refused(judge, code, changes):
    assert await judge(anulacion("NEVER-ISSUED", **changes)) == code


async def test_a_timestamp_in_utc_is_accepted(judge):
    assert await judge(lone(FechaHoraHusoGenRegistro=utc(now()))) is None


async def test_a_wrong_fingerprint_is_only_remarked(judge):
    assert await judge(lone(Huella="A" * 64)) == 2000


async def test_a_fingerprint_in_lower_case_is_wrong(judge):
    record = lone()

    assert await judge(record | {"Huella": record["Huella"].lower()}) == 2000


@pytest.mark.parametrize(("code", "previous"), [(2002, "AB"), (2003, "G" * 64), (2003, "a" * 64), (2003, "_" * 64)])
async def test_the_form_of_the_previous_fingerprint_is_remarked(judge, code, previous):
    before = {"RegistroAnterior": invoice("F1") | {"Huella": previous}}

    assert await judge(lone(Encadenamiento=before)) == code


async def test_a_record_linked_to_its_own_fingerprint_is_remarked(judge):
    before = {"RegistroAnterior": invoice("F1") | {"Huella": "B" * 64}}

    assert await judge(lone(Encadenamiento=before, Huella="B" * 64)) == 2008


async def test_ipsi_without_regime_is_remarked_until_2026_and_refused_after(judge):
    record = lone(lines=[line(Impuesto="02", ClaveRegimen=None)])

    assert await judge(record) == (2009 if now().year <= 2026 else 1245)


@pytest.mark.parametrize(("seconds", "code"), [(-230, None), (-260, 2004), (230, None), (260, 2004)])
async def test_timestamps_beyond_four_minutes_are_remarked(judge, seconds, code):
    moment = now() + timedelta(seconds=seconds)

    assert await judge(lone(FechaHoraHusoGenRegistro=utc(moment))) == code


@pytest.mark.parametrize(("seconds", "code"), [(-7200, None), (260, 2004)])
async def test_an_incident_excuses_lateness_and_nothing_else(judge, seconds, code):
    moment = now() + timedelta(seconds=seconds)

    assert await judge(lone(FechaHoraHusoGenRegistro=utc(moment)), voluntary={"Incidencia": "S"}) == code


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"ImporteTotal": "131.00"}, None),
        ({"ImporteTotal": "131.01"}, 2005),
        ({"CuotaTotal": "31.00"}, None),
        ({"CuotaTotal": "10.99"}, 2006),
        ({"ImporteTotal": "9999.00", "lines": [line(ClaveRegimen="05")]}, None),
    ],
)
async def test_totals_beyond_ten_euro_are_remarked(judge, changes, code):
    assert await judge(lone(**changes)) == code
