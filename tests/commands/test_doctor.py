"""`ledgerkit doctor`: each thing that is missing is one line with what to do, and ends with 1."""

import asyncio
import socket
import sys
from contextlib import closing
from dataclasses import replace
from datetime import timedelta

import pytest
from aiosmtpd.smtp import SMTP

from ledgerkit import clock
from ledgerkit.commands.examining import einvoicing, machine, messengers
from ledgerkit.commands.examining.findings import Weight
from ledgerkit.commands.examining.services import mail
from ledgerkit.core.sales.invoices.pdf import MissingRequirements
from ledgerkit.providers.api import Environment
from ledgerkit.providers.es import country as spain
from ledgerkit.providers.es.verifactu.channel import VerifactuChannel
from ledgerkit.providers.es.verifactu.settings import VerifactuSettings
from ledgerkit.providers.registry import Registry
from ledgerkit.settings import EInvoiceEnvironment, Settings
from ledgerkit.telemetry.tracing import lacking as lacking_for_traces
from support.botapi import bot_api
from support.commands import ledgerkit
from support.credentials import encoded, person
from support.disks import fill, small_disk
from support.mailserver import Inbox, listening, scripted
from support.ports import free_port
from support.serving import served


def configured(tmp_path, **values) -> Settings:
    return Settings(_env_file=None, data_dir=tmp_path / "data", **values)


def only(found):
    """The only finding: how heavy it is, and its line."""
    (one,) = found
    assert "\n" not in one.line("en") + one.line("es")
    return one.weight, one.line("en")


# ---------------------------------------------------------------- the whole command


@pytest.mark.whole
async def test_before_the_first_start_nothing_is_missing_and_nothing_is_made(tmp_path):
    ended = await ledgerkit(tmp_path / "data", "doctor", PORT=str(free_port()))

    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines()[-1] == "ok       Nothing is missing."
    assert not (tmp_path / "data").exists()


async def test_beside_a_running_server_and_after_it_the_doctor_looks_into_its_database(tmp_path):
    data = tmp_path / "data"
    async with served(data) as server:
        port = server.url.rpartition(":")[2]
        beside = await ledgerkit(data, "doctor", PORT=port)
    after = await ledgerkit(data, "doctor", PORT=port)
    (data / "secret.key").unlink()
    without_key = await ledgerkit(data, "doctor", PORT=port)

    assert (beside.code, after.code) == (0, 0), beside.out + after.out
    assert f"Port: ledgerkit answers on 127.0.0.1:{port}" in beside.out
    assert f"Port: 127.0.0.1:{port} is free" in after.out
    assert "tables of revision" in beside.out
    assert "tables of revision" in after.out
    assert without_key.code == 1
    assert "there is a database and no key for it" in without_key.out
    assert not (data / "secret.key").exists()


async def test_what_is_missing_is_counted_and_ends_with_1_in_the_operators_language(tmp_path, monkeypatch):
    monkeypatch.setenv("LC_ALL", "es_ES.UTF-8")
    wrong = {"VERIFACTU_CERT_KIND": "dog", "SMTP_URL": f"smtp://127.0.0.1:{free_port()}", "RATE_LIMITS": "on"}

    ended = await ledgerkit(tmp_path / "data", "doctor", PORT=str(free_port()), **wrong)

    lacking = [line.split()[1] for line in ended.out.splitlines() if line.startswith("falta ")]
    assert ended.code == 1
    assert lacking == ["LEDGERKIT_VERIFACTU_CERT_KIND", "LEDGERKIT_BASE_URL:", "Correo:", "3"]
    assert "consejo  LEDGERKIT_RATE_LIMITS no es un ajuste de ledgerkit. ¿Querías decir" in ended.out


# ---------------------------------------------------------------- what watches the server


@pytest.mark.whole
async def test_the_port_of_the_metrics_is_free_taken_or_ours(tmp_path, fresh_urls):
    number = free_port()
    async with served(tmp_path / "data", DATABASE_URL=fresh_urls.owner, METRICS_PORT=str(number)):
        ours = only(await machine.metrics(configured(tmp_path, metrics_port=number)))
    free = only(await machine.metrics(configured(tmp_path, metrics_port=number)))
    with closing(socket.create_server(("127.0.0.1", number))):
        taken = only(await machine.metrics(configured(tmp_path, metrics_port=number)))
    shared = only(await machine.metrics(configured(tmp_path, port=number, metrics_port=number)))

    assert ours == (Weight.GOOD, f"ok       Metrics: ledgerkit shows them on 127.0.0.1:{number}")
    assert free == (Weight.GOOD, f"ok       Metrics: 127.0.0.1:{number} is free")
    assert (taken[0], shared[0]) == (Weight.MISSING, Weight.MISSING)
    assert "is in use by another program" in taken[1]
    assert "Choose another port" in shared[1]
    assert await machine.metrics(configured(tmp_path)) == []


def test_traces_that_cannot_be_sent_are_advice_with_the_command():
    asked = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}

    weight, line = only(machine.traces(lacking_for_traces(asked)))

    assert weight is Weight.ADVISED
    assert line.endswith("Type: OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf")
    assert list(machine.traces(lacking_for_traces({}))) == []


# ---------------------------------------------------------------- the machine


def test_another_distribution_in_our_folder_is_advice_with_the_command(tmp_path, monkeypatch):
    assert list(machine.other_distribution()) == []
    metadata = tmp_path / "ledgerkit-1.0.dev1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: ledgerkit\nVersion: 1.0.dev1\n")
    monkeypatch.syspath_prepend(tmp_path)

    weight, line = only(machine.other_distribution())

    assert weight is Weight.ADVISED
    assert "Package: `ledgerkit` 1.0.dev1 is installed beside `ledgerkit-server`." in line
    assert f"Type: {sys.executable} -m pip uninstall --yes ledgerkit; then install ledgerkit-server again" in line


def test_a_directory_that_every_user_may_change_comes_with_the_command(tmp_path):
    settings = configured(tmp_path)
    settings.data_dir.mkdir()
    settings.data_dir.chmod(0o777)

    open_to_all, room = machine.data_directory(settings)

    assert open_to_all.weight is Weight.MISSING
    assert open_to_all.line("en").endswith(f"Type: chmod o-w {settings.data_dir}")
    assert room.weight is Weight.GOOD


def test_a_file_in_the_place_of_the_data_directory_is_said(tmp_path):
    (tmp_path / "data").write_text("in the way")

    weight, line = only(machine.data_directory(configured(tmp_path)))

    assert weight is Weight.MISSING
    assert "cannot write" in line


def test_too_little_room_is_missing_with_the_numbers(tmp_path):
    with small_disk(tmp_path / "data", 1) as disk:
        fill(disk)
        weight, line = only(machine.data_directory(configured(tmp_path)))

    assert weight is Weight.MISSING
    assert "0 MiB free; the server needs 32" in line


def test_a_key_that_others_can_read_comes_with_the_command(tmp_path):
    settings = configured(tmp_path)
    settings.data_dir.mkdir()
    key = settings.data_dir / "secret.key"
    key.write_text("k" * 40)
    key.chmod(0o644)

    weight, line = only(machine.secret_key(settings))

    assert weight is Weight.MISSING
    assert line.endswith(f"Type: chmod 600 {key}")


def test_a_key_that_is_too_short_is_said(tmp_path):
    settings = configured(tmp_path)
    settings.data_dir.mkdir()
    (settings.data_dir / "secret.key").write_text("short")

    weight, line = only(machine.secret_key(settings))

    assert weight is Weight.MISSING
    assert "fewer than 32 bytes" in line


def test_a_port_of_another_program_is_said(tmp_path):
    with closing(socket.socket()) as other:
        other.bind(("127.0.0.1", 0))  # it never answers: asked whether it is ledgerkit, it refuses
        port = other.getsockname()[1]
        found = machine.port(configured(tmp_path, port=port))
    assert found.weight is Weight.MISSING
    assert "in use by another program" in found.line("en")


@pytest.mark.parametrize(
    ("values", "weight"),
    [
        ({}, Weight.GOOD),
        ({"smtp_url": "smtp://mail.example"}, Weight.MISSING),
        ({"smtp_url": "smtp://mail.example", "base_url": "https://ana.example"}, Weight.GOOD),
        ({"base_url": "http://ana.example"}, Weight.ADVISED),
    ],
)
def test_links_of_mails_must_lead_somewhere(tmp_path, values, weight):
    assert machine.public_address(configured(tmp_path, **values)).weight is weight


@pytest.mark.parametrize(
    ("lacking", "weights"),
    [
        (None, [Weight.GOOD]),
        (MissingRequirements((), ("emoji font",), "apt-get install x"), [Weight.ADVISED]),
        (MissingRequirements(("pango-1.0",), ("emoji font",), "apt-get install x"), [Weight.MISSING, Weight.ADVISED]),
    ],
)
def test_libraries_of_pdfs_come_with_the_command_that_installs_them(lacking, weights):
    found = list(machine.pdf_libraries(lacking))

    assert [one.weight for one in found] == weights
    assert lacking is None or all(one.line("en").endswith("Type: apt-get install x") for one in found)
    assert lacking is None or "un tipo de letra con emojis" in found[-1].line("es")


# ---------------------------------------------------------------- mail


@pytest.fixture
def inbox():
    return Inbox()


@pytest.fixture
async def mail_port(inbox):
    loop = asyncio.get_running_loop()
    async with listening(lambda: SMTP(inbox, loop=loop, hostname="mail.test")) as port:
        yield port


async def test_a_mail_server_that_lets_us_in_is_good_and_gets_no_mail(tmp_path, mail_port, inbox):
    settings = configured(tmp_path, smtp_url=f"smtp://127.0.0.1:{mail_port}", mail_from="a@ana.example")

    assert only(await mail(settings)) == (Weight.GOOD, f"ok       Mail: 127.0.0.1:{mail_port} lets us in")
    assert inbox.envelopes == []


async def test_the_default_sender_is_advised_against(tmp_path, mail_port):
    _, sender = await mail(configured(tmp_path, smtp_url=f"smtp://127.0.0.1:{mail_port}"))

    assert sender.weight is Weight.ADVISED
    assert "LEDGERKIT_MAIL_FROM" in sender.line("en")


async def test_a_mail_server_that_is_away_is_missing_with_the_setting(tmp_path):
    weight, line = only(await mail(configured(tmp_path, smtp_url=f"smtp://127.0.0.1:{free_port()}")))

    assert weight is Weight.MISSING
    assert "could not be reached" in line
    assert "LEDGERKIT_SMTP_URL" in line


async def test_a_refused_login_is_missing_without_the_password(tmp_path):
    strict = scripted(EHLO="250-mail.test\r\n250 AUTH PLAIN", AUTH="535 5.7.8 no")
    async with listening(strict) as port:
        weight, line = only(await mail(configured(tmp_path, smtp_url=f"smtp://me:hunter2@127.0.0.1:{port}")))

    assert weight is Weight.MISSING
    assert "refused the login: 535" in line
    assert "hunter2" not in line


async def test_a_malformed_address_of_the_mail_server_is_missing_without_the_password(tmp_path):
    weight, line = only(await mail(configured(tmp_path, smtp_url="smtp://me:hun/ter2@mail.example")))

    assert weight is Weight.MISSING
    assert "%2F" in line
    assert "hun" not in line


async def test_a_malformed_address_of_the_mail_server_ends_a_start_with_one_line(tmp_path, fresh_urls):
    settings = {"DATABASE_URL": fresh_urls.owner, "SMTP_URL": "smtp://me:hun/ter2@mail.example"}
    ended = await ledgerkit(tmp_path / "data", "serve", PORT="0", **settings)

    assert ended.code == 78
    assert "Traceback" not in ended.err
    assert "hun" not in ended.err
    assert ended.err.splitlines()[-1].startswith("LEDGERKIT_SMTP_URL must read smtp://")


# ---------------------------------------------------------------- e-invoicing

PRODUCER = {
    "producer_name": "Productora, S.L.",
    "producer_tax_id": "B12345674",
    "producer_address": "Calle 1, Madrid",
    "declaration_place": "Madrid",
    "declaration_date": "2026-11-01",
}


def registry(**values) -> Registry:
    channel = VerifactuChannel(VerifactuSettings(_env_file=None, **values))
    return Registry({"ES": replace(spain, channels=(channel,))})


def in_production(kernel):
    settings = kernel.settings.model_copy(update={"einvoice_env": EInvoiceEnvironment.PRODUCTION})
    return replace(kernel, settings=settings, countries=registry(**PRODUCER))


def lacking(found) -> list[str]:
    return sorted(one.line("en").split("VERIFACTU_")[1].split(":")[0] for one in found if one.weight is Weight.MISSING)


def test_the_sandbox_needs_nothing():
    assert lacking(einvoicing.of_operator(registry(), Environment.SANDBOX)) == []


def test_production_needs_the_producer_and_the_declaration():
    found = einvoicing.of_operator(registry(), Environment.PRODUCTION)

    assert lacking(found) == [
        "DECLARATION_DATE",
        "DECLARATION_PLACE",
        "PRODUCER_ADDRESS",
        "PRODUCER_NAME",
        "PRODUCER_TAX_ID",
    ]


def test_a_declaration_dated_in_the_future_is_missing():
    tomorrow = clock.today("Europe/Madrid") + timedelta(days=1)
    found = einvoicing.of_operator(registry(**PRODUCER | {"declaration_date": tomorrow}), Environment.PRODUCTION)

    assert lacking(found) == ["DECLARATION_DATE"]
    assert lacking(einvoicing.of_operator(registry(**PRODUCER), Environment.PRODUCTION)) == []


@pytest.mark.parametrize("environment", [Environment.TEST, Environment.PRODUCTION])
def test_an_operators_self_signed_certificate_is_missing_and_not_good(tmp_path, environment):
    (tmp_path / "c.pem").write_bytes(person(self_signed=True).pem())
    found = list(einvoicing.of_operator(registry(**PRODUCER, cert_file=tmp_path / "c.pem"), environment))

    assert lacking(found) == ["CERT_FILE"]
    assert [one.line("en") for one in found if one.weight is not Weight.MISSING and "RUIZ GIL" in one.line("en")] == []


@pytest.mark.parametrize(
    ("environment", "weight"),
    [
        (EInvoiceEnvironment.SANDBOX, Weight.ADVISED),
        pytest.param(EInvoiceEnvironment.TEST, Weight.MISSING, marks=pytest.mark.whole),
        (EInvoiceEnvironment.PRODUCTION, Weight.MISSING),
    ],
)
async def test_an_accounts_self_signed_certificate_is_never_called_good(kernel, ana, environment, weight):
    file = encoded(person(ana.team["taxId"], self_signed=True).pem())
    await ana.put("/api/einvoice/certificate", {"file": file})
    there = in_production(kernel)
    there = replace(there, settings=there.settings.model_copy(update={"einvoice_env": environment}))

    found, line = only([one async for one in einvoicing.of_issuers(there)])

    assert found is weight
    assert "self-signed" in line
    assert ana.team["taxId"] in line


async def test_a_production_server_says_at_its_start_what_keeps_it_from_issuing(tmp_path, fresh_urls):
    there = {"DATABASE_URL": fresh_urls.owner, "EINVOICE_ENV": "production", "VERIFACTU_PRODUCER_NAME": "Ana Ruiz"}
    async with served(tmp_path / "data", **there) as server:
        said = server.log.read_text(encoding="utf-8")

    names = ("PRODUCER_TAX_ID", "PRODUCER_ADDRESS", "DECLARATION_PLACE", "DECLARATION_DATE")
    lines = [line for line in said.splitlines() if "Nothing is issued here yet" in line]
    assert [name for name in names if not any(f"LEDGERKIT_VERIFACTU_{name}: " in line for line in lines)] == []
    assert len(lines) == len(names)


def test_only_production_says_so_at_its_start():
    assert list(einvoicing.before_production(registry(), Environment.TEST)) == []
    assert list(einvoicing.before_production(registry(**PRODUCER), Environment.PRODUCTION)) == []


def test_the_declaration_is_only_advised_where_nothing_has_fiscal_effect():
    found = list(einvoicing.of_operator(registry(), Environment.TEST))

    assert lacking(found) == ["PRODUCER_NAME", "PRODUCER_TAX_ID"]
    assert [one for one in found if one.weight is Weight.ADVISED]


async def test_accounts_without_a_certificate_of_any_kind_are_named(kernel, ana):
    weight, line = only([one async for one in einvoicing.of_issuers(in_production(kernel))])

    assert weight is Weight.MISSING
    assert "12345678Z" in line
    assert "PUT /api/einvoice/certificate" in line


async def test_a_missing_certificate_is_only_advised_while_there_is_nobody(kernel):
    weight, line = only([one async for one in einvoicing.of_issuers(in_production(kernel))])

    assert weight is Weight.ADVISED
    assert "CERT_FILE" in line


async def test_an_account_that_does_not_report_needs_no_certificate(kernel, ana):
    await ana.put("/api/teams/current", {"einvoicing": "off"})

    [until] = [one async for one in einvoicing.of_issuers(in_production(kernel))]

    assert until.weight is Weight.ADVISED
    assert "off by your choice, until" in until.line("en")
    assert "certificate" not in until.line("en")


def test_a_certificate_that_cannot_be_opened_is_missing_whoever_needs_it(tmp_path):
    (tmp_path / "c.p12").write_bytes(b"no certificate")
    found = einvoicing.of_operator(registry(**PRODUCER, cert_file=tmp_path / "c.p12"), Environment.PRODUCTION)

    assert lacking(found) == ["CERT_FILE"]


@pytest.mark.parametrize(("days", "weight"), [(100, Weight.GOOD), (10, Weight.ADVISED), (-1, Weight.MISSING)])
def test_a_certificate_says_how_long_it_lasts(days, weight):
    found = einvoicing.certificate("verifactu", "Ana Ruiz", clock.now() + timedelta(days=days, hours=-1))

    assert found.weight is weight


# ---------------------------------------------------------------- messengers


@pytest.fixture
def telegram():
    with bot_api() as server:
        yield server


def with_bot(tmp_path, telegram, bot) -> Settings:
    return configured(tmp_path, telegram_token=bot.token, telegram_api_base=telegram.base)


async def test_bot_that_answers_is_named(tmp_path, telegram):
    bot = telegram.bot()
    weight, line = only(await messengers.reached(with_bot(tmp_path, telegram, bot)))
    assert weight is Weight.GOOD
    assert line.startswith("ok       Telegram: the bot ")


async def test_token_that_telegram_refuses_is_missing(tmp_path, telegram):
    bot = telegram.bot()
    settings, token = with_bot(tmp_path, telegram, bot), bot.token
    bot.revoke()
    weight, line = only(await messengers.reached(settings))
    assert weight is Weight.MISSING
    assert "Telegram refuses the token" in line
    assert token not in line


async def test_telegram_that_does_not_answer_is_missing(tmp_path):
    settings = configured(tmp_path, telegram_token="1:a", telegram_api_base=f"http://127.0.0.1:{free_port()}")
    weight, line = only(await messengers.reached(settings))
    assert weight is Weight.MISSING
    assert "Telegram cannot be reached" in line


async def test_without_a_messenger_nothing_is_said(tmp_path):
    assert await messengers.reached(configured(tmp_path)) == []
