"""An account's own certificate: its upload, the view of it, its use, and the warnings before it expires."""

import asyncio
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from lxml import etree
from structlog.testing import capture_logs

from ledgerkit.core.einvoice.certificates import access, expiry
from ledgerkit.core.einvoice.transmission import reconciliation
from ledgerkit.core.platform.confined.calls import ConfinedCalls
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.providers.api import Environment
from ledgerkit.providers.es.sandbox.faults import LOST_ANSWER
from ledgerkit.providers.es.verifactu.settings import VerifactuSettings
from support import der
from support.credentials import ANA, authority_of, encoded, entity, person
from support.office import emit, eventually

PATH = "/api/einvoice/certificate"
SF = (
    "{https://www2.agenciatributaria.gob.es/static_files/common/internet/dep/aplicaciones/es/aeat/tike/cont/ws/"
    "SuministroInformacion.xsd}"
)


def put(one, password=None, **more):
    file = one if isinstance(one, bytes) else one.pem()
    return {"file": encoded(file), "password": password, **more}


async def stored(office, api):
    return await office.rows("select * from fiscal_certificate where account_id = :id", id=api.team["id"])


async def actions(api, prefix="certificate"):
    feed = await api.get("/api/invoices/activity/feed?limit=50")
    return [one for one in feed if one["action"].startswith(prefix)]


# ---------------------------------------------------------------- kept and told of


async def test_a_stored_certificate_is_described_and_never_shown(office, ana):
    one = person(ana.team["taxId"], kind="rsa")

    uploaded = await ana.put(PATH, put(one.pkcs12("hunter2"), "hunter2"))
    shown = await ana.get(PATH)

    assert uploaded == shown
    assert (shown["holder"], shown["taxId"], shown["represents"]) == ("RUIZ GIL ANA", ana.team["taxId"], False)
    assert (shown["issuer"], shown["serial"], shown["kind"], shown["signs"]) == (
        "AC Prueba",
        "ABCDEF01",
        "person",
        True,
    )
    assert shown["daysLeft"] == 364
    assert shown["uploadedBy"]
    (row,) = await stored(office, ana)
    everything = json.dumps([uploaded, await actions(ana)]) + repr(row)
    key = one.pem().split(b"\n")[1].decode()
    assert b"PRIVATE" not in row.content
    assert [word for word in ("hunter2", "PRIVATE KEY", key) if word in everything] == []


async def test_the_sandbox_takes_a_self_signed_one_and_says_what_real_authorities_do(ana):
    uploaded = await ana.put(PATH, put(person(ana.team["taxId"], self_signed=True)))
    spanish = (await ana.request("GET", PATH, **{"accept-language": "es"})).json()
    other = await ana.put(PATH, put(person(ana.team["taxId"])))

    assert uploaded["problem"]["code"] == "CERTIFICATE_SELF_SIGNED"
    assert "self-signed" in uploaded["problem"]["message"]
    assert "está autofirmado" in spanish["problem"]["message"]
    assert "PUT /api/einvoice/certificate" in spanish["problem"]["remedy"]
    assert other["problem"] is None


async def test_uploading_and_removing_are_in_the_log_with_holder_and_end_only(ana):
    await ana.put(PATH, put(person(ana.team["taxId"])))
    await ana.delete(PATH)

    log = await actions(ana)

    assert [(one["action"], one["entityLabel"]) for one in log] == [
        ("certificate_removed", "RUIZ GIL ANA"),
        ("certificate_uploaded", "RUIZ GIL ANA"),
    ]
    assert [list(one["changes"]) for one in log] == [["validTo"], ["validTo"]]
    await ana.refused(404, "GET", PATH)
    await ana.refused(404, "DELETE", PATH)


async def test_a_new_one_takes_the_place_of_the_old(office, ana):
    first = await ana.put(PATH, put(person(ana.team["taxId"])))
    second = await ana.put(PATH, put(entity(ana.team["taxId"], seal=True)))

    assert first["id"] != second["id"]
    assert (await ana.get(PATH))["kind"] == "seal"
    assert len(await stored(office, ana)) == 1


async def test_the_kind_is_what_is_said_before_what_it_says(ana):
    uploaded = await ana.put(PATH, put(entity(ana.team["taxId"], seal=True), kind="person"))

    assert uploaded["kind"] == "person"


async def test_other_accounts_do_not_see_a_certificate(office, ana):
    berta = await office.account("Berta Gil")
    await ana.put(PATH, put(person(ana.team["taxId"])))

    await berta.refused(404, "GET", PATH)
    await berta.refused(404, "DELETE", PATH)
    assert (await ana.get(PATH))["holder"] == "RUIZ GIL ANA"


async def test_what_is_copied_into_another_account_cannot_be_opened_there(office, ana):
    berta = await office.account("Berta Gil")
    for api in (ana, berta):
        await api.put(PATH, put(person(api.team["taxId"])))
    (hers,) = await stored(office, ana)
    ctx = await accounts.system_context(office.kernel, UUID(berta.team["id"]))

    assert access.decrypt(ctx, hers).certificate == b""
    assert access.decrypt(await accounts.system_context(office.kernel, UUID(ana.team["id"])), hers).certificate


# ---------------------------------------------------------------- refused


@pytest.mark.parametrize(
    ("file", "password", "expected"),
    [
        (lambda nif: person(nif).pkcs12("secret"), "hunter2", ("password", "CERTIFICATE_PASSWORD")),
        (lambda nif: person(nif).pem("secret"), None, ("password", "CERTIFICATE_PASSWORD")),
        (lambda nif: person(nif).public(), None, ("file", "CERTIFICATE_WITHOUT_KEY")),
        (lambda nif: person(nif, until=timedelta(minutes=-1)).pem(), None, ("file", "CERTIFICATE_EXPIRED")),
        (lambda nif: person(nif, since=timedelta(days=1)).pem(), None, ("file", "CERTIFICATE_NOT_YET_VALID")),
        (lambda nif: person(nif, kind="weak").pem(), None, ("file", "CERTIFICATE_KEY_WEAK")),
        (lambda _: person(None).pem(), None, ("file", "CERTIFICATE_WITHOUT_TAX_ID")),
        (lambda _: b"x", None, ("file", "CERTIFICATE_UNREADABLE")),
    ],
)
async def test_what_cannot_be_used_is_refused_and_nothing_kept(office, ana, file, password, expected):
    problem = await ana.refused(400, "PUT", PATH, put(file(ana.team["taxId"]), password))

    assert problem["code"] == "CERTIFICATE_UNUSABLE"
    assert [(one["field"], one["code"]) for one in problem["errors"]] == [expected]
    assert problem["remedy"]
    assert "hunter2" not in json.dumps(problem)
    assert await stored(office, ana) == []


MANY = 2**31 - 1
HIDDEN = der.bags(der.key_bag(der.pbes2(der.pbkdf2(MANY))))


@pytest.mark.parametrize(
    "file",
    [
        der.pfx(der.plain(der.bags(der.key_bag(der.pbes2(der.pbkdf2(1))))), seal=der.mac(MANY)),
        der.pfx(der.really_locked(HIDDEN, "hunter2")),
    ],
    ids=["that says so", "that hides it"],
)
@pytest.mark.whole
async def test_a_file_that_takes_too_long_to_open_is_given_up(office, ana, file, monkeypatch, caplog):
    monkeypatch.setattr(office.kernel.service(ConfinedCalls), "_seconds", 0.5)

    with capture_logs() as logs:
        problem = await ana.refused(400, "PUT", PATH, put(file, "hunter2"))

    assert [(one["field"], one["code"]) for one in problem["errors"]] == [("file", "CERTIFICATE_TOO_COSTLY")]
    assert set(problem["errors"][0]["translations"]) == {"ca", "en", "es"}
    assert "hunter2" not in json.dumps([problem, logs], default=str) + caplog.text
    assert await stored(office, ana) == []


@pytest.mark.whole
async def test_too_many_files_of_one_account_are_turned_away(office, ana, monkeypatch):
    monkeypatch.setattr(office.kernel.service(ConfinedCalls), "_seconds", 0.5)
    asked = [ana.request("PUT", PATH, put(der.pfx(der.really_locked(HIDDEN, "x")), "x")) for _ in range(6)]

    answers = await asyncio.gather(*asked)

    busy = [one for one in answers if one.status_code == 503]
    assert (len(busy), busy[0].json()["code"]) == (2, "SERVER_BUSY")
    assert busy[0].headers["retry-after"]
    assert {one.status_code for one in answers} == {400, 503}


@pytest.mark.parametrize("file", ["%%%", "YQ", "ñ"])
async def test_what_is_no_base64_is_refused(ana, file):
    problem = await ana.refused(400, "PUT", PATH, {"file": file})

    assert [one["field"] for one in problem["errors"]] == ["file"]


async def test_a_file_has_64_kib_at_most(ana):
    padded = person(ana.team["taxId"]).pem()

    await ana.put(PATH, put(padded + b"\n" * (64 * 1024 - len(padded))))
    problem = await ana.refused(400, "PUT", PATH, put(padded + b"\n" * (64 * 1024 - len(padded) + 1)))

    assert [one["field"] for one in problem["errors"]] == ["file"]


async def test_somebody_elses_is_refused_unless_it_represents(ana):
    problem = await ana.refused(400, "PUT", PATH, put(entity("B12345674")))
    uploaded = await ana.put(PATH, put(entity("B12345674"), represents=True))

    assert problem["code"] == "CERTIFICATE_OF_ANOTHER"
    assert "represents" in problem["remedy"]
    assert "B12345674" in problem["detail"]
    assert (uploaded["taxId"], uploaded["represents"]) == ("B12345674", True)


async def test_without_a_tax_id_there_is_nobody_to_compare_with(office):
    api = await type(await office.account()).with_team(office.client, "nadie@example.com", "Nadie", None)

    problem = await api.refused(400, "PUT", PATH, put(person()))

    assert problem["code"] == "ISSUER_INCOMPLETE"


# ---------------------------------------------------------------- used


def heading(message: bytes, block: str) -> dict[str, str]:
    """The leaves of a block of Cabecera."""
    block_element = etree.fromstring(message).find(f".//{SF}{block}")
    return {} if block_element is None else {etree.QName(one).localname: one.text for one in block_element}


async def sent(office, api):
    before = len(office.authority.received)
    result = await emit(api, await api.invoice())
    assert result["status"] == "accepted"
    assert len(office.authority.received) == before + 1
    return office.authority.received[-1]


async def test_the_issuers_own_certificate_carries_its_records(office, ana):
    one = person(ana.team["taxId"], given="PROPIA", by=authority_of(office.authority.access.ca_file))
    await ana.put(PATH, put(one))

    message = await sent(office, ana)

    assert office.authority.callers[-1] == f"RUIZ GIL PROPIA - {ana.team['taxId']}"
    assert heading(message, "Representante") == {}
    assert heading(message, "ObligadoEmision")["NIF"] == ana.team["taxId"]


async def test_whoever_represents_is_named_in_every_message(office, ana):
    one = entity("B12345674", by=authority_of(office.authority.access.ca_file))
    await ana.put(PATH, put(one, represents=True))

    message = await sent(office, ana)

    assert heading(message, "Representante") == {"NombreRazon": "Gestoría Sur, S.L.", "NIF": "B12345674"}
    assert heading(message, "ObligadoEmision")["NIF"] == ana.team["taxId"]


async def test_questions_go_the_same_way_as_messages_and_say_who_represents(office, ana):
    """After a lost answer, and when a month is compared."""
    one = entity("B12345674", by=authority_of(office.authority.access.ca_file))
    await ana.put(PATH, put(one, represents=True))
    office.authority.faults.add(LOST_ANSWER)
    asked = len(office.authority.asked)

    await emit(ana, await ana.invoice())
    ctx = await accounts.system_context(office.kernel, UUID(ana.team["id"]))
    today = ctx.account.today()
    await reconciliation.reconcile(ctx, today.year, today.month)

    questions = office.authority.asked[asked:]
    assert [b":IndicadorRepresentante>S</" in question for question in questions] == [True, True]
    assert set(office.authority.callers[-3:]) == {f"{ANA} ANA RUIZ (R: B12345674)"}


async def test_without_one_the_operators_carries_them_and_nobody_is_named(office, ana):
    message = await sent(office, ana)

    assert office.authority.callers[-1] == "ledgerkit client"
    assert heading(message, "Representante") == {}


async def test_the_connection_is_tried_and_nothing_sent(office, ana):
    one = person(ana.team["taxId"], by=authority_of(office.authority.access.ca_file))
    before = office.authority.received

    with_none = await ana.post(f"{PATH}/test")
    await ana.put(PATH, put(one))
    with_own = await ana.post(f"{PATH}/test")

    assert [(came["ok"], came["certificate"], came["problem"]) for came in (with_none, with_own)] == [
        (True, "sandbox", None),
        (True, "own", None),
    ]
    assert (with_own["environment"], with_own["host"]) == ("sandbox", "127.0.0.1")
    assert office.authority.received == before


async def test_an_own_certificate_signs_where_it_can_else_the_operators(office, ana):
    ctx = await accounts.system_context(office.kernel, UUID(ana.team["id"]))

    async def own():
        async with ctx.reading() as inner:
            return await access.signing_certificate(inner)

    none = await own()
    await ana.put(PATH, put(person(ana.team["taxId"])))
    of_another_kind = await own()
    await ana.put(PATH, put(person(ana.team["taxId"], kind="rsa")))

    assert (none, of_another_kind) == (None, None)
    assert b"PRIVATE KEY" in (await own()).certificate


# ---------------------------------------------------------------- how long


async def test_providers_tell_how_long_and_since_when_it_is_the_law(ana):
    before = await ana.get("/api/einvoice/providers")
    await ana.put(PATH, put(person(ana.team["taxId"], until=timedelta(days=20, hours=1))))
    after = await ana.get("/api/einvoice/providers")

    assert before["certificate"] is None
    assert (after["certificate"]["of"], after["certificate"]["daysLeft"]) == ("account", 20)
    assert [one["from"] for one in after["obligations"]] == ["2025-07-29", "2027-01-01", "2027-07-01"]
    assert all("15/2025" in one["source"] for one in after["obligations"][1:])
    assert [day["from"] for day in after["obligations"][2]["former"]] == ["2025-07-01", "2026-07-01"]
    assert after["obligations"][0]["announcement"] is None
    for one in after["obligations"][1:]:
        assert "octubre de 2028" in one["announced"]
        assert one["announcement"] == {
            "from": "2028-10",
            "source": "Nota del Ministerio de Hacienda de 5 de octubre de 2026",
            "announcedOn": "2026-10-05",
            "enacted": False,
        }


DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("left", "reached"),
    [
        (61 * DAY, None),
        (60 * DAY + timedelta(seconds=1), None),
        (60 * DAY, 60),
        (31 * DAY, 60),
        (30 * DAY, 30),
        (7 * DAY + timedelta(seconds=1), 30),
        (7 * DAY, 7),
        (timedelta(seconds=1), 7),
        (timedelta(), 0),
        (-400 * DAY, 0),
    ],
)
def test_the_steps_to_the_end(left, reached):
    now = datetime(2026, 11, 21, tzinfo=UTC)

    assert expiry.reached_step(now + left, now) == reached


async def mails(office, api):
    return await office.rows(
        "select * from mail_log where account_id = :id and kind = 'certificate' order by id", id=api.team["id"]
    )


async def ages(office, api, left: timedelta):
    """Set another end for the stored certificate."""
    statement = "update fiscal_certificate set valid_to = now() + cast(:left as interval) where account_id = :id"
    await office.rows(f"{statement} returning id", id=api.team["id"], left=left)


async def test_each_step_is_told_once_to_who_is_in_charge(office, ana):
    await ana.put(PATH, put(person(ana.team["taxId"])))
    warned_of = []

    for days in (61, 59, 58, 29, 6, 1, -1, -2):
        await ages(office, ana, timedelta(days=days))
        for _ in range(2):
            await expiry.warn_of_expiry(office.kernel)
        warned_of.append(len(await actions(ana, "certificate_exp")))

    assert warned_of == [0, 1, 1, 2, 3, 3, 4, 4]
    assert [one["action"] for one in await actions(ana, "certificate_exp")] == [
        "certificate_expired",
        *["certificate_expiring"] * 3,
    ]

    async def four():
        return len(await mails(office, ana)) == 4

    await eventually(four)
    assert {row.recipient for row in await mails(office, ana)} == {ana.email}
    assert {row.outcome for row in await mails(office, ana)} == {"accepted"}


@pytest.mark.parametrize(("days", "warned"), [(61, []), (60, [60]), (3, [3])])
async def test_the_operators_own_is_told_in_the_log(office, tmp_path, monkeypatch, days, warned):
    file = tmp_path / "operator.pem"
    file.write_bytes(person(until=timedelta(days=days, hours=1)).pem())
    channel = office.kernel.countries.channel("ES", "verifactu")
    monkeypatch.setattr(channel, "_setup", VerifactuSettings(_env_file=None, cert_file=file))
    there = office.kernel.settings.model_copy(update={"einvoice_env": Environment.PRODUCTION})

    with capture_logs() as log_lines:
        await expiry.warn_of_expiry(replace(office.kernel, settings=there))

    assert [line["days_left"] for line in log_lines if line["event"] == "the operator's certificate runs out"] == warned


async def test_a_server_that_was_off_tells_the_latest_step_only(office, ana):
    await ana.put(PATH, put(person(ana.team["taxId"], until=timedelta(days=5))))

    await expiry.warn_of_expiry(office.kernel)
    await expiry.warn_of_expiry(office.kernel)

    assert len(await actions(ana, "certificate_exp")) == 1


async def test_a_new_certificate_begins_anew_and_nobody_is_mailed_about_the_old(office, ana):
    old = await ana.put(PATH, put(person(ana.team["taxId"], until=timedelta(days=5))))
    await ana.put(PATH, put(person(ana.team["taxId"], until=timedelta(days=25))))
    (owner,) = await office.rows("select id from app_user where email = :email", email=ana.email)

    payload = {"accountId": ana.team["id"], "certificateId": old["id"], "userId": str(owner.id), "step": 7}
    await expiry.mail_warning(office.kernel, payload)
    nobody = await mails(office, ana)
    await expiry.warn_of_expiry(office.kernel)

    assert nobody == []
    assert [one["action"] for one in await actions(ana, "certificate_exp")] == ["certificate_expiring"]
