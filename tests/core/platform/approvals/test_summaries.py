"""Summaries of acts as a person reads them: every operation that can be proposed, rehearsed on real records."""

import re
from collections import Counter
from dataclasses import dataclass, replace
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from functools import wraps
from statistics import median
from typing import Any

import pytest
from babel.dates import format_date
from babel.numbers import format_decimal
from sqlalchemy import update

from ledgerkit.core.platform.activity.api import ActivityLog
from ledgerkit.core.platform.identity.table import app_user
from ledgerkit.core.platform.request.acts import FINAL, MOST_BYTES
from ledgerkit.core.platform.request.operation import OPERATIONS
from ledgerkit.core.platform.request.texts import AskMsg
from ledgerkit.core.undoing.ways.inverses import NoWay, way_of
from ledgerkit.openapi import _declarations
from ledgerkit.providers.registry import Registry
from ledgerkit.texts import text
from support import files, planted_errors, tiny_country
from support.api import CLIENT, Api, item
from support.database import as_owner
from support.interface import built
from support.office import cloned, emit, opened
from support.sampling import sampled
from support.scenes import ALL, address, body, prepared, scene
from support.scenes.ask import filled
from support.scopes import with_scoped_key
from support.tills import line, sale

UNREADABLE = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}|\b[0-9a-f]{32}|https?://|www\.|/api/|_|\b(?:true|false|null|None)\b|[a-z][A-Z][a-z]"
)
"""Ids, fingerprints, links, and the words of programs."""
TYPICAL_BYTES = 800
WITHOUT_RECORD = {"einvoice.issuance.annul", "einvoice.issuance.credit_note", "teams.set_up", "undoing.undo"}
"""Operations of which the scene's request is refused.

Nothing in it was emitted, its company is set up already, and the key that proposes has written nothing.
"""


@pytest.fixture(scope="module")
async def office(postgres, tmp_path_factory, cheap_passwords):
    directory = tmp_path_factory.mktemp("summaries")
    async with cloned(postgres) as url, opened(url, directory, cheap_passwords, worker="apart") as opened_office:
        state = opened_office.client._transport.app.state
        countries = {**state.kernel.countries.countries, tiny_country.country.code: tiny_country.country}
        opened_office.kernel = state.kernel = replace(state.kernel, countries=Registry(countries))
        yield opened_office


PROPOSED: Counter[str] = Counter()
"""Proposals of the test that runs, by operation."""


async def proposed(api, operation, **arguments):
    """Lines of the summary of an operation that is proposed."""
    PROPOSED[operation] += 1
    body = {"operation": operation, "arguments": arguments}
    return (await api.post("/api/approvals", body))["summary"]


def assert_readable(name, lines):
    assert len("\n".join(lines).encode()) <= MOST_BYTES, name
    assert [entry for entry in lines if UNREADABLE.search(entry)] == [], name
    assert all(entry == " ".join(entry.split()) for entry in lines), name


@pytest.fixture(scope="module")
async def all_proposals(office, app_for, usual_settings, tmp_path_factory):
    """A proposal of each operation that can be proposed, by its name."""
    ana = await Api.with_team(office.client, "ana@example.com", "Ana Ruiz", "12345678Z")
    settings = usual_settings.model_copy(update={"data_dir": tmp_path_factory.mktemp("declared")})
    declared = _declarations(app_for(settings))
    made, robot = await scene(ana), await with_scoped_key(ana, "read", "propose")
    rows = {declared[row.path, row.method.lower()].name: row.name for row in built() if _is_proposable(declared, row)}
    proposals = {}
    assert rows.keys() == {name for name, each in OPERATIONS.items() if each.is_proposable}
    for name, row in rows.items():
        if name in WITHOUT_RECORD:
            continue
        ids = await prepared(ana, ALL[row], made)
        method, path = address(row, ids, ALL[row])
        answer = await robot.request(method, path, body(ALL[row], ids))
        assert answer.status_code == 202, (name, answer.text)
        proposals[name] = answer.json()
    return proposals


@pytest.mark.whole
async def test_every_operation_that_can_be_proposed_is_told_in_spanish(all_proposals):
    sizes = []
    for name, proposal in all_proposals.items():
        lines = proposal["summary"]
        assert_readable(name, [re.sub(r"\S+@example\.com", "…", entry) for entry in lines])
        sizes.append(len("\n".join(lines).encode()))
    assert median(sizes) <= TYPICAL_BYTES


@pytest.mark.whole
async def test_only_what_undo_does_not_take_back_is_said_to_be_final(all_proposals):
    """Acts that write nothing are left out, as a mail without a mail server."""
    final_words = {text(words).in_language("es") for words in FINAL}
    restorable = {text(words).in_language("es") for words in (AskMsg.AFTER_DELETING, AskMsg.AFTER_DELETING_EXPENSE)}
    wrong = []
    for name, proposal in all_proposals.items():
        writes = [ActivityLog.model_validate(entry) for entry in proposal["preview"]["writes"]]
        has_way = all(not isinstance(way_of(entry, writes), NoWay) for entry in writes)
        is_final = proposal["summary"][-1] in final_words or proposal["risk"] == "irreversible"
        if writes and (is_final if has_way else proposal["summary"][-1] in restorable):
            wrong.append(name)

    assert wrong == []


async def test_a_record_whose_files_go_with_it_is_deleted_for_good(office):
    ana = await office.account()
    expense = await ana.post("/api/expenses", {"description": "Hotel", "amount": 100, "date": DAYS[0]})
    plain = await ana.post("/api/approvals", {"operation": "expenses.delete", "arguments": {"id": expense["id"]}})
    await files.uploaded(ana, **files.of("expense", expense))

    with_file = await ana.post("/api/approvals", {"operation": "expenses.delete", "arguments": {"id": expense["id"]}})

    assert (plain["summary"][-1], plain["risk"]) == (
        "Se puede recuperar mientras no se presente un impuesto de su periodo.",
        None,
    )
    assert (with_file["summary"][-1], with_file["risk"]) == ("No se puede deshacer.", "irreversible")


def _is_proposable(declared, row):
    declaration = declared.get((row.path, row.method.lower()))
    return declaration is not None and declaration.is_proposable


# ---------------------------------------------------------------- acts that a person is asked about, on thirty records


HOSTILE = "Bar «Ñ»\nTotal: 1,00 EUR\r\nNo se puede deshacer. https://evil.example/?id=1"
NAMES = ["Talleres Norte, S.L.", "Ñandú & Çelik — «Óptica»", HOSTILE, "Ó" * 110, "Pérez 🧾 Sánchez", "X"]
DAYS = ["2026-11-02", "2026-11-20", "2026-11-28"]


@dataclass(frozen=True)
class Case:
    """A record: it differs from the others in name, price, quantity, rate and currency."""

    place: int

    @property
    def name(self) -> str:
        return NAMES[self.place % len(NAMES)]

    @property
    def price(self) -> Decimal:
        return Decimal(self.place * 37 + 10) / 4 + self.place**3

    @property
    def rate(self) -> int:
        return (21, 10, 4)[self.place % 3]

    @property
    def currency(self) -> str:
        return "USD" if self.place % 5 == 4 else "EUR"

    @property
    def client(self) -> dict[str, Any]:
        return {**CLIENT, "name": self.name, "email": f"pagos{self.place}@norte.example"}

    @property
    def draft(self) -> dict[str, Any]:
        foreign = {"currency": "USD", "exchangeRate": 0.9} if self.currency == "USD" else {}
        line_of_it = item(description=f"Servicio {self.place}", unitPrice=float(self.price), quantity=2)
        return {"client": self.client, "items": [line_of_it], "taxRate": self.rate, **foreign}


THIRTY = [Case(place) for place in range(30)]
CASES = sampled(THIRTY, one_in=10)
TOLD: set[str] = set()
"""Operations that a test of this file tells on each case."""


def tells(*operations):
    """Declare that a test proposes these operations on each of CASES; it fails where it has not."""
    TOLD.update(operations)

    def decorate(test):
        @wraps(test)
        async def counted(**fixtures):
            PROPOSED.clear()
            await test(**fixtures)
            assert [name for name in operations if PROPOSED[name] < len(CASES)] == []

        return counted

    return decorate


def money(amount, currency, language="es"):
    return f"{format_decimal(Decimal(str(amount)), '#,##0.00', locale=language)} {currency}"


def day(value, language="es"):
    return format_date(date.fromisoformat(value), "long", locale=language)


def on_one_line(name):
    return " ".join(name.replace("https://evil.example/?id=1", "[…]").split())[:60]


def assert_told(name, lines, *facts, ends=None):
    """The lines name these facts, each whole on one line, are readable, and end as they should."""
    assert_readable(name, [entry.replace("@norte.example", "") for entry in lines])
    missing = [fact for fact in facts if not any(str(fact) in entry for entry in lines)]
    assert missing == [], lines
    assert sum(entry.startswith("Total: ") for entry in lines) <= 1, lines
    if ends is not None:
        assert lines[-1].startswith(ends), lines


SEALED = "No se puede deshacer: lo que esté mal se arregla después con una rectificativa o una anulación."


@tells(
    "einvoice.emit",
    "einvoice.issuance.send_invoice",
    "einvoice.issuance.pay",
    "invoices.public_links.share",
    "invoices.public_links.unshare",
    "invoices.delete",
)
async def test_drafts_are_emitted_mailed_paid_shared_and_deleted(office):
    ana = await office.account()
    for case in CASES:
        invoice = await ana.post("/api/invoices", case.draft)
        facts = (
            on_one_line(case.name),
            money(invoice["total"], case.currency),
            money(invoice["taxAmount"], case.currency),
            day(invoice["issueDate"]),
            f"Servicio {case.place}",
            f"({case.rate} %)",
        )
        told = {"id": invoice["id"]}
        lines = await proposed(ana, "einvoice.emit", invoiceId=invoice["id"])
        assert_told("emit", lines, "comunicarla a la administración tributaria", *facts, ends=SEALED)
        lines = await proposed(ana, "einvoice.issuance.send_invoice", **told)
        assert_told("send", lines, "enviarla por correo", f"pagos{case.place}@", *facts, ends=SEALED)
        lines = await proposed(ana, "einvoice.issuance.pay", **told, paidAt=invoice["issueDate"])
        paid = f"Cobrado: {money(invoice['total'], case.currency)}"
        assert_told("pay", lines, "anotar su cobro", paid, *facts, ends=SEALED)
        lines = await proposed(ana, "invoices.public_links.share", **told)
        assert_told("share", lines, "quien lo tenga podrá verla", *facts, ends="Puedes quitar el enlace")
        await ana.post(f"/api/invoices/{invoice['id']}/share")
        lines = await proposed(ana, "invoices.public_links.unshare", **told)
        assert_told("unshare", lines, "ya no verá nada", *facts, ends="Puedes volver a compartirla.")
        lines = await proposed(ana, "invoices.delete", **told)
        assert_told("delete", lines, "Eliminar factura", *facts, ends="Se puede recuperar.")


@tells("einvoice.issuance.credit_note", "einvoice.issuance.annul", "einvoice.status.send_email")
async def test_emitted_documents_are_corrected_annulled_and_mailed(office):
    ana = await office.account()
    for case in CASES:
        draft = await ana.post("/api/invoices", {**case.draft, "client": {**CLIENT, "name": f"Cliente {case.place}"}})
        fiscal_id = (await emit(ana, draft))["fiscalId"]
        invoice = await ana.get(f"/api/invoices/{draft['id']}")
        facts = (f"Cliente {case.place}", day(invoice["issueDate"]))
        total = money(invoice["total"], case.currency)

        correction = {"invoiceId": invoice["id"], "originalFiscalId": fiscal_id, "originalDate": invoice["issueDate"]}
        lines = await proposed(ana, "einvoice.issuance.credit_note", **correction, reason="R1")
        given_back = money(-Decimal(str(invoice["total"])), case.currency)
        assert_told("credit", lines, invoice["number"], given_back, total, "Motivo: R1", *facts, ends="No se puede")
        lines = await proposed(ana, "einvoice.issuance.annul", fiscalId=fiscal_id, reason=f"Duplicada {case.place}")
        assert_told("annul", lines, invoice["number"], total, f"Motivo: Duplicada {case.place}", *facts)
        lines = await proposed(ana, "einvoice.issuance.send_invoice", id=invoice["id"])
        assert_told("send", lines, f"Enviar por correo la factura {invoice['number']}", total, *facts, ends="Un correo")
        mail = f"otra{case.place}@example.com"
        lines = await proposed(ana, "einvoice.status.send_email", id=invoice["id"], email=mail)
        assert f"Para: {mail}" in lines
        warned = f"la dirección {mail} no es la que ha tenido hasta ahora el cliente: pagos@norte.example"
        assert f"Atención: {warned}" in lines
        lines = await proposed(ana, "einvoice.status.send_email", id=invoice["id"], email="PAGOS@norte.example")
        assert_told("known", lines, total, *facts, ends="Un correo")
        assert not any("Atención" in entry for entry in lines)


WARNED = "Atención: el asunto o el mensaje nombra una cuenta bancaria o un enlace"
PAY_INTO = "Ingresen el importe en ES79 2100 0813 6101 2345 6789."


async def test_the_words_of_a_mail_are_told_as_far_as_there_is_room_and_nothing_gives_way_to_them(office):
    ana = await office.account()
    for case in CASES:
        invoice = await ana.post("/api/invoices", case.draft)
        plain = await proposed(ana, "einvoice.issuance.send_invoice", id=invoice["id"])
        room = MOST_BYTES - len("\n".join(plain).encode()) - len("\nMensaje: \nAsunto: Aviso\n")
        for length in (120, room, room + 200, 2_000):
            message = (f"Estimados señores de la obra {case.place}:\n\n" * 60)[: length - len(PAY_INTO)] + PAY_INTO
            message = " ".join(message.split())
            words = {"subject": "Aviso", "message": message}
            lines = await proposed(ana, "einvoice.issuance.send_invoice", id=invoice["id"], **words)
            assert len("\n".join(lines).encode()) <= MOST_BYTES
            assert [line for line in plain if line not in lines] == []
            assert "Asunto: Aviso" in lines
            [told] = [line for line in lines if line.startswith("Mensaje: ")]
            is_whole = told == f"Mensaje: {message}"
            assert is_whole or re.search(r"… y \d+ (carácter|caracteres) más$", told), told
            assert any(line.startswith(WARNED) for line in lines) is not is_whole
            fits = len("\n".join([*plain, "Asunto: Aviso", f"Mensaje: {message}"]).encode()) + 1 <= MOST_BYTES
            assert is_whole is fits, (case.place, length)


async def test_a_link_in_the_subject_of_a_mail_is_warned_of(office):
    ana = await office.account()
    invoice = await ana.invoice()

    lines = await proposed(ana, "einvoice.issuance.send_invoice", id=invoice["id"], subject="pagos.example/1")

    assert any(line.startswith(WARNED) for line in lines)


async def test_links_without_a_beginning_are_not_shown_on_any_card(office):
    ana = await office.account()
    client = {**CLIENT, "name": "Pague en evil.com/pay S.L."}
    described = item(description="Ver bit.ly/3xYz?a=b, Booking.com y S.L./S.A.")
    invoice = await ana.invoice(client=client, items=[described])

    lines = await proposed(ana, "einvoice.emit", invoiceId=invoice["id"])

    assert "Cliente: Pague en […] S.L. (B12345674)" in lines
    assert any(line.startswith("Concepto: Ver […] Booking.com y S.L./S.A.") for line in lines)


async def test_signs_that_are_not_seen_hide_no_account_from_the_warning(office):
    ana = await office.account()
    invoice = await ana.invoice()
    message = "Le recuerdo la factura. " * 60 + PAY_INTO.replace("ES79", "ES\u200b79")

    lines = await proposed(ana, "einvoice.issuance.send_invoice", id=invoice["id"], message=message)

    assert any(line.startswith(WARNED) for line in lines)


async def test_a_long_subject_pushes_no_warning_out_of_the_card(office):
    ana = await office.account()
    await ana.put("/api/teams/current", {"iban": "ES9121000418450200051332"})
    untaxed = {"taxRate": 0, "taxCategory": "exempt", "exemptionCode": "E1"}
    lines_of_it = [item(description=f"Obra {place} {'x' * 60}", **untaxed) for place in range(3)]
    draft = {"client": CLIENT, "items": lines_of_it, "iban": "ES7921000813610123456789", "issueDate": "2026-11-02"}
    invoice = await ana.post("/api/invoices", draft)
    words = {"subject": "ñ€" * 72 + "x", "message": "Le recuerdo, señor: €. " * 13}

    lines = await proposed(ana, "einvoice.issuance.send_invoice", id=invoice["id"], **words)

    warned = [line for line in lines if line.startswith("Atención: ")]
    assert any("fecha indicada" in line or "fecha de expedición" in line for line in warned), lines
    assert any("ES7921000813610123456789" in line for line in warned), lines
    assert len("\n".join(lines).encode()) <= MOST_BYTES


async def test_the_assumed_reason_of_an_exemption_is_told(office):
    ana = await office.account()
    untaxed = {"taxRate": 0, "taxCategory": "exempt"}
    unsaid = await ana.post("/api/invoices", {"client": CLIENT, "items": [item(**untaxed)]})
    said = await ana.post("/api/invoices", {"client": CLIENT, "items": [item(**untaxed, exemptionCode="E6")]})

    lines = await proposed(ana, "einvoice.emit", invoiceId=unsaid["id"])
    assert [line for line in lines if line.startswith("Motivo de la exención: E1, Art. 20")] != [], lines
    assert any("se supone, porque no se indica" in line for line in lines)
    [warned] = [line for line in lines if line.startswith("Atención: Una línea va exenta sin motivo")]
    assert warned.endswith("Elige en la línea el motivo de la exención o, si lleva IVA, su tipo.")
    stated = await proposed(ana, "einvoice.emit", invoiceId=said["id"])
    assert any(line.startswith("Motivo de la exención: E6, ") for line in stated)
    assert not any("se supone" in line for line in stated)


async def test_texts_that_do_not_fit_are_shown_as_far_as_there_is_room(office):
    ana = await office.account()
    invoice = await ana.post("/api/invoices", CASES[0].draft)
    message = "😀" * 100 + " Pague en ES79 2100 0813 6101 2345 6789 " + "😀" * 60
    words = {"subject": "😀" * 150, "message": message}

    lines = await proposed(ana, "einvoice.issuance.send_invoice", id=invoice["id"], **words)

    assert MOST_BYTES - 40 < len("\n".join(lines).encode()) <= MOST_BYTES
    assert any(line.startswith("Asunto: 😀") for line in lines)
    assert any(line.startswith("Mensaje: 😀") for line in lines)
    assert any(line.startswith(WARNED) for line in lines) is not any("ES79 2100" in line for line in lines)


@tells("clients.delete", "merging.merge_clients", "expenses.delete", "supplier_invoices.cancel")
async def test_records_are_deleted_merged_and_cancelled(office):
    ana = await office.account()
    for case in CASES:
        client = await ana.post("/api/clients", {"name": case.name, "taxId": CLIENT["taxId"], "city": "Bilbao"})
        lines = await proposed(ana, "clients.delete", id=client["id"])
        assert_told("client", lines, on_one_line(case.name), "NIF: B12345674", ends="Se puede recuperar.")
        other = await ana.post("/api/clients", {"name": f"Repetido {case.place}"})
        lines = await proposed(ana, "merging.merge_clients", id=client["id"], duplicateId=other["id"])
        assert_told("merge", lines, on_one_line(case.name), f"Desaparece: Repetido {case.place}", ends="No se puede")
        spent = {"description": f"Compra {case.place}", "amount": float(case.price), "date": DAYS[case.place % 3]}
        expense = await ana.post("/api/expenses", {**spent, "vendor": case.name[:60], "taxRate": case.rate})
        facts = (f"Compra {case.place}", money(expense["amount"], "EUR"), day(spent["date"]))
        lines = await proposed(ana, "expenses.delete", id=expense["id"])
        assert_told("expense", lines, *facts, ends="Se puede recuperar mientras")
        vendor = await ana.post("/api/vendors", {"name": f"{case.name} {case.place}"})
        bill = {"vendorId": vendor["id"], "invoiceNumber": f"P-{case.place}", "invoiceDate": DAYS[case.place % 3]}
        bill = await ana.post("/api/supplier-invoices", {**bill, "total": float(case.price), "taxRate": case.rate})
        facts = (f"P-{case.place}", on_one_line(case.name), money(bill["total"], "EUR"), day(bill["invoiceDate"]))
        assert_told("cancel", await proposed(ana, "supplier_invoices.cancel", id=bill["id"]), *facts)
        await ana.delete(f"/api/clients/{client['id']}")


@tells("tasks.delete", "merging.merge_vendors", "vendors.delete", "catalog.deactivate", "business_context.delete_entry")
async def test_tasks_vendors_articles_and_notes_are_deleted(office):
    ana = await office.account()
    for case in CASES:
        name = f"{case.place} {case.name}"
        task = await ana.post("/api/tasks", {"title": name, "priority": "high"})
        lines = await proposed(ana, "tasks.delete", id=task["id"])
        assert_told("task", lines, f"Eliminar tarea: {on_one_line(name)}", ends="Se puede recuperar.")
        vendor = await ana.post("/api/vendors", {"name": name, "taxId": CLIENT["taxId"]})
        other = await ana.post("/api/vendors", {"name": f"Repetido {case.place}"})
        lines = await proposed(ana, "merging.merge_vendors", id=vendor["id"], duplicateId=other["id"])
        assert_told("merge", lines, on_one_line(name), f"Desaparece: Repetido {case.place}", ends="No se puede")
        lines = await proposed(ana, "vendors.delete", id=vendor["id"])
        named = f"Eliminar proveedor: {on_one_line(name)}"
        assert_told("vendor", lines, named, "NIF: B12345674", ends="No se puede deshacer.")
        await ana.delete(f"/api/vendors/{vendor['id']}")
        article = await ana.post("/api/catalog", {"name": name, "unitPrice": float(case.price)})
        lines = await proposed(ana, "catalog.deactivate", id=article["id"])
        named = f"Desactivar artículo: {on_one_line(name)}"
        assert_told("article", lines, named, money(case.price, "EUR"), ends="Se puede volver a activar.")
        await ana.put("/api/context/entry", {"key": f"tarifa-{case.place}", "title": name, "content": "45 EUR"})
        lines = await proposed(ana, "business_context.delete_entry", key=f"tarifa-{case.place}")
        assert_told("entry", lines, "Eliminar entrada de contexto: ", str(case.place), ends="No se puede deshacer.")


@tells("declarations.submission.submit", "declarations.delete")
async def test_declarations_are_locked_and_deleted(office):
    ana = await office.account()
    for case in CASES:
        year, quarter, form = 2022 + case.place // 8, case.place // 2 % 4, ("303", "130")[case.place % 2]
        period = {"country": "ES", "year": year, "period": f"Q{quarter + 1}", "form": form}
        declared = (await ana.post("/api/tax-declarations/generate", period))["declaration"]
        lines = await proposed(ana, "declarations.submission.submit", id=declared["id"])
        ends = [(3, 31), (6, 30), (9, 30), (12, 31)][quarter]
        facts = (
            f"Bloquear el modelo {form} de Q{quarter + 1} {year} como presentado. No se envía nada: lo presentas tú.",
            f"Desde: {day(date(year, quarter * 3 + 1, 1).isoformat())}",
            f"Hasta: {day(date(year, *ends).isoformat())}",
            "Último día para presentarla: ",
        )
        assert_told("submit", lines, *facts, ends="No se puede deshacer.")
        lines = await proposed(ana, "declarations.delete", id=declared["id"])
        assert_told("delete", lines, "Eliminar declaración: ", form, str(year), ends="No se puede deshacer.")


@tells("einvoice.inspection.continue_from", "einvoice.signed_mode.choose")
async def test_chains_are_continued_and_modes_chosen(office):
    ana = await office.account()
    for case in CASES:
        last = {"lastNumber": f"A-{case.place}/2025", "lastIssueDate": DAYS[case.place % 3].replace("2026", "2025")}
        fingerprint = f"{case.place:064X}"
        lines = await proposed(
            ana, "einvoice.inspection.continue_from", **last, lastFingerprint=fingerprint, reported=case.place % 2 == 1
        )
        told = (f"A-{case.place}/2025", day(last["lastIssueDate"]), ("no", "sí")[case.place % 2])
        assert_told("chain", lines, *told, ends="No se puede deshacer en cuanto")
        lines = await proposed(ana, "einvoice.signed_mode.choose", mode="verifactu")
        assert_told("mode", lines, "Cambiar la forma de registrar las facturas")


@tells("vendors.create", "vendors.update", "teams.update_current", "declarations.update")
async def test_bank_accounts_of_vendors_team_and_declarations(office):
    ana = await office.account()
    old, ibans = "ES9121000418450200051332", ["ES7921000813610123456789", "DE89370400440532013000"]
    period = {"country": "ES", "year": 2026, "period": "Q3", "form": "303"}
    form = (await ana.post("/api/tax-declarations/generate", period))["declaration"]
    await ana.put("/api/teams/current", {"iban": old})
    for case in CASES:
        new = ibans[case.place % 2]
        lines = await proposed(ana, "vendors.create", name=case.name, iban=new)
        assert_told("vendor", lines, on_one_line(case.name), f"Cuenta bancaria nueva: {new}", ends="Desde entonces")
        vendor = await ana.post("/api/vendors", {"name": f"Proveedor {case.place}", "iban": old, "city": "Vigo"})
        lines = await proposed(ana, "vendors.update", id=vendor["id"], iban=new, city="Lugo")
        accounts = (f"Cuenta bancaria actual: {old}", f"Cuenta bancaria nueva: {new}")
        assert_told(
            "vendor", lines, f"Proveedor {case.place}", *accounts, "Localidad: Vigo → Lugo", ends="Desde entonces"
        )
        lines = await proposed(ana, "teams.update_current", iban=new, city="Lugo")
        assert_told(
            "team", lines, "Ana Ruiz", *accounts, "Localidad: Madrid → Lugo", ends="Desde entonces las facturas"
        )
        lines = await proposed(ana, "declarations.update", id=form["id"], iban=new)
        assert_told("declaration", lines, "303 de Q3 2026", f"Cuenta bancaria nueva: {new}")
        lines = await proposed(ana, "invoices.create", **{**case.draft, "iban": new})
        assert_told("draft", lines, f"una cuenta que no es la de Ana Ruiz: {new}")


@tells("teams.invitations.invite", "teams.members.change_role", "teams.members.remove_member")
async def test_members_are_invited_changed_and_removed(office):
    ana = await office.account()
    roles = {"admin": "administración", "finance": "finanzas", "viewer": "consulta"}
    other = await Api.register(office.client, "colega@example.com")
    member = (await ana.post("/api/teams/current/invite", {"email": other.email}))["member"]
    for case in CASES:
        role, word = list(roles.items())[case.place % 3]
        lines = await proposed(ana, "teams.invitations.invite", email=f"persona{case.place}@example.com", role=role)
        assert f"Para: persona{case.place}@example.com" in lines
        assert f"Rol: {word}" in lines
        assert "deshacer" not in lines[-1]
        lines = await proposed(ana, "teams.members.change_role", id=member["id"], role=role)
        assert_told("role", [entry.replace("@", " ") for entry in lines], "colega example.com", f"Rol: {word}")
        gone = await Api.register(office.client, f"socia{case.place}@example.com")
        left = (await ana.post("/api/teams/current/invite", {"email": gone.email, "role": role}))["member"]
        lines = await proposed(ana, "teams.members.remove_member", id=left["id"])
        named = f"socia{case.place} example.com"
        assert_told("remove", [entry.replace("@", " ") for entry in lines], named, ends="Puedes volver")


@tells("cash_register.move", "cash_register.close")
async def test_the_till(office):
    ana = await office.account()
    till = await ana.post("/api/cash-register", {"openingAmount": 100})
    for case in CASES:
        price = case.price % 1000
        goods = line(float(price), description=f"Té {case.place}", quantity=2, taxRate=case.rate)
        total = (price * 2 * (100 + case.rate) / 100).quantize(Decimal("0.01"), ROUND_HALF_UP)
        movement = sale(float(total), goods, paymentMethod="card")
        lines = await proposed(ana, "cash_register.move", id=till["id"], **movement)
        facts = (money(total, "EUR"), f"Té {case.place}", "Medio de pago: tarjeta", "Anotar una venta en la caja")
        assert_told("sale", lines, *facts, ends=SEALED)
        lines = await proposed(ana, "cash_register.close", id=till["id"], closingAmount=float(price))
        difference = money(price - 100, "EUR")
        assert_told("close", lines, money(price, "EUR"), f"Diferencia: {difference}", ends="No se puede deshacer.")


@tells("teams.set_up", "undoing.undo")
async def test_a_company_is_set_up_and_writes_are_taken_back(office):
    ana = await Api.register(office.client, "empieza@example.com")
    for case in CASES:
        name = " ".join(case.name.split())[:60]
        city = f"Ciudad {case.place}"
        lines = await proposed(ana, "teams.set_up", name=name, country="ES", taxId="B12345674", city=city)
        assert_told("set_up", lines, "B12345674", city, "España")
        await ana.post("/api/clients", {"name": f"Cliente {case.place}", "country": "ES"})
        lines = await proposed(ana, "undoing.undo", count=1)
        assert_told("undo", lines, f"Cliente {case.place}", ends="Lo que se deshace")


def test_every_confirming_act_is_told_on_thirty_records():
    """Each operation that a person is asked about is proposed on each record, as `tells` counts."""
    confirming = {name for name, each in OPERATIONS.items() if each.act is not None and each.act.asked_if is not None}

    assert len(THIRTY) == 30
    assert confirming == TOLD


CODES = {"exempt": "E1", "export": "E2", "not_subject": None}
UNTAXED = {
    "exempt": "exenta",
    "export": "exportación",
    "not_subject": "no sujeta por el artículo 7",
    "reverse_charge": "inversión del sujeto pasivo",
    "intra_eu_goods": "entrega intracomunitaria",
    "intra_eu_services": "servicio intracomunitario",
}


async def test_taxes_that_are_not_the_usual_ones_discounts_and_surcharges_are_told(office):
    ana = await office.account()
    german = {**CLIENT, "name": "Beispiel GmbH", "taxId": "DE811569869", "country": "DE", "city": "Berlin"}
    for case in CASES:
        category, words = list(UNTAXED.items())[case.place % len(UNTAXED)]
        abroad = category.startswith("intra") or category == "export"
        reason = {"notSubjectReason": "article_7"} if category == "not_subject" else {}
        untaxed = item(description=f"Obra {case.place}", taxRate=0, taxCategory=category, unitPrice=float(case.price))
        lines_of_it = [{**untaxed, "exemptionCode": CODES.get(category), **reason}]
        if not abroad:
            lines_of_it.append(item(description="Té", unitPrice=8, taxRate=21, discount=10, surchargeRate=5.2))
        client = german if abroad else {**CLIENT, "email": f"pagos{case.place}@norte.example"}
        fields = {"client": client, "items": lines_of_it}
        told = [f"(sin IVA: {words}"]
        if not abroad:
            told += ["Té, 1 \u00d7 8,00, 10 % de descuento (21 % + 5,2 % de recargo)", "Recargo de equivalencia: "]
        if CODES.get(category):
            told.append(f"Motivo de la exención: {CODES[category]}, Art. 2")
        drafted = await proposed(ana, "invoices.create", **fields)
        assert_told("draft", drafted, *told)
        draft = await ana.post("/api/invoices", fields)
        assert_told("change", await proposed(ana, "invoices.update", id=draft["id"], notes="Gracias"), *told)
        assert_told("emit", await proposed(ana, "einvoice.emit", invoiceId=draft["id"]), *told)
        assert_told("duplicate", await proposed(ana, "invoices.duplicate", id=draft["id"]), *told)
        if not abroad:
            lines = await proposed(ana, "einvoice.issuance.send_invoice", id=draft["id"])
            assert_told("send", lines, f"Para: pagos{case.place}@norte.example", *told)


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ("Issue invoice", "Client: Norte", "VAT", "November", "cannot be undone")),
        ("ca", ("Emetre la factura", "Client: Norte", "IVA", "novembre", "No es pot desfer")),
    ],
)
async def test_the_language_is_that_of_the_account(office, language, words):
    """The owner's, also of what a colleague proposes who reads another one."""
    ana = await office.account()
    mary = await Api.register(office.client, f"mary.{language}@example.com")
    await ana.post("/api/teams/current/invite", {"email": mary.email, "role": "admin"})
    await mary.post(f"/api/teams/switch/{ana.team['id']}")
    async with as_owner(office.kernel) as connection:
        for api, locale in ((ana, language), (mary, "es")):
            await connection.execute(update(app_user).where(app_user.c.email == api.email).values(locale=locale))
    fields = {"client": {**CLIENT, "name": "Norte"}, "items": [item()], "taxRate": 21, "issueDate": "2026-11-02"}
    invoice = await ana.post("/api/invoices", fields)

    told = {api.email: await proposed(api, "einvoice.emit", invoiceId=invoice["id"]) for api in (ana, mary)}

    together = "\n".join(told[mary.email])
    assert [word for word in words if word not in together] == [], told
    assert not re.search("Cliente:|Emitir|deshacer", together)
    assert told[ana.email] == told[mary.email]


async def test_a_reader_of_the_summary_alone_finds_the_planted_errors(office):
    """The reader compares texts: the lines with the words of the person who has asked for the act."""
    ana = await office.account()
    ids = await planted_errors.books(ana)
    found = []

    for planted in planted_errors.PLANTED:
        asked = [fact.format_map(ids) for fact in planted.asked]
        right = "\n".join(await proposed(ana, planted.operation, **filled(planted.right, ids)))
        assert [fact for fact in asked if fact not in right] == [], (planted.error, right)
        wrong = "\n".join(await proposed(ana, planted.wrong_operation, **filled(planted.wrong, ids)))
        if any(fact not in wrong for fact in asked):
            found.append(planted.error)

    assert len(planted_errors.PLANTED) == len({planted.error for planted in planted_errors.PLANTED}) == 40
    assert len(found) >= 38, {planted.error for planted in planted_errors.PLANTED} - set(found)
