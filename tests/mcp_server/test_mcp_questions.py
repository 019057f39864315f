"""Questions before an act: whom it concerns, how much, when and to what effect, in the account's language."""

import re
from uuid import uuid4

import pytest

from ledgerkit.core.platform.request.operation import Effect
from ledgerkit.mcp_server.tools import TOOLS
from support.api import ADDRESS, CLIENT, Api, item
from support.letters import Mailbox
from support.periods import YEAR

INVOICE_LINES = [
    "Cliente: Talleres Norte, S.L. (B12345674)",
    "Base imponible: 1.200,00 EUR",
    "IVA: 252,00 EUR",
    "Retención: 180,00 EUR",
    "Total: 1.272,00 EUR",
    "Concepto: Identidad visual, 1 \u00d7 1.200,00 (21 %)",
]
FINAL_SEALED = "No se puede deshacer: lo que esté mal se arregla después con una rectificativa o una anulación."
FINAL = "No se puede deshacer."


async def asked(site, api, tool, **arguments):
    preview = await site.agent(api, **{"Accept-Language": "en"}).preview(tool, **arguments)
    question = preview["question"]
    assert not re.search(r"[0-9a-f]{8}-[0-9a-f]{4}|https?://", question), question
    return question.splitlines()


async def draft(api, **fields):
    return await api.post(
        "/api/invoices", {"client": CLIENT, "items": [item()], "taxRate": 21, "retentionRate": 15, **fields}
    )


async def emitted(api):
    invoice = await draft(api)
    await api.post("/api/einvoice/emit", {"invoiceId": invoice["id"]})
    return await api.get(f"/api/invoices/{invoice['id']}")


@pytest.fixture
async def ana(site):
    api = await site.person()
    await api.put("/api/teams/current", ADDRESS)
    return api


def days(invoice):
    """The lines of issue and due date: the days depend on the clock."""
    return [line for line in invoice if line.startswith(("Fecha de expedición: ", "Vencimiento: "))]


def without_days(lines):
    return [line for line in lines if line not in days(lines)]


def test_whatever_cannot_be_undone_has_its_question():
    unasked = {
        operation.name
        for tool in TOOLS.values()
        for operation in tool.declared
        if Effect.DESTRUCTIVE in operation.effects and (operation.act is None or operation.act.asked_if is None)
    }

    assert unasked == set()


def assert_question(lines, effect, *facts, afterwards=FINAL):
    """The lines but those of days are these; a document has its two days."""
    assert without_days(lines) == [effect, *facts, afterwards]
    assert len(days(lines)) == (2 if any(line.startswith("Total: ") for line in lines) else 0)


async def test_emission(site, ana):
    lines = await asked(site, ana, "emit_einvoice", invoiceId=(await draft(ana))["id"])

    effect = f"Emitir la factura F{YEAR}-0001 y comunicarla a la administración tributaria."
    assert_question(lines, effect, *INVOICE_LINES, afterwards=FINAL_SEALED)


async def test_mailing(site, ana):
    one = await emitted(ana)

    lines = await asked(site, ana, "send_invoice", id=one["id"], email="x@example.com")
    effect = f"Enviar por correo la factura F{YEAR}-0001."
    afterwards = "Un correo enviado no se puede recuperar."
    new = "Atención: la dirección x@example.com no es la que ha tenido hasta ahora el cliente: pagos@norte.example"
    assert_question(lines, effect, "Para: x@example.com", new, *INVOICE_LINES, afterwards=afterwards)

    lines = await asked(site, ana, "send_invoice", id=(await draft(ana))["id"])
    effect = f"Emitir la factura F{YEAR}-0002, comunicarla a la administración tributaria y enviarla por correo."
    assert_question(lines, effect, "Para: pagos@norte.example", *INVOICE_LINES, afterwards=FINAL_SEALED)


async def test_payment_of_a_draft(site, ana):
    lines = await asked(site, ana, "mark_invoice_paid", id=(await draft(ana))["id"])

    effect = f"Emitir la factura F{YEAR}-0001, comunicarla a la administración tributaria y anotar su cobro."
    assert lines[-2].startswith("Fecha de cobro: ")
    lines = [*lines[:-2], lines[-1]]
    assert_question(lines, effect, *INVOICE_LINES, "Cobrado: 1.272,00 EUR", afterwards=FINAL_SEALED)


async def test_a_link_can_be_taken_back(site, ana):
    one = await emitted(ana)
    lines = await asked(site, ana, "share_invoice", id=one["id"])
    effect = f"Crear un enlace público de la factura F{YEAR}-0001: quien lo tenga podrá verla."
    assert_question(lines, effect, *INVOICE_LINES, afterwards="Puedes quitar el enlace cuando quieras.")
    await site.agent(ana).ok("share_invoice", id=one["id"])

    lines = await asked(site, ana, "share_invoice", id=one["id"], revoke=True)

    effect = f"Quitar el enlace público de la factura F{YEAR}-0001: quien lo tenga ya no verá nada."
    assert_question(lines, effect, *INVOICE_LINES, afterwards="Puedes volver a compartirla.")


async def test_correction_and_annulment(site, ana):
    one = await emitted(ana)
    original = {"invoiceId": one["id"], "originalDate": one["issueDate"], "reason": "R1"}

    lines = await asked(
        site,
        ana,
        "create_credit_note",
        **original,
        originalFiscalId=one["einvoice"]["fiscalId"],
        items=[item(unitPrice=100)],
    )
    effect = (
        f"Emitir la factura rectificativa R{YEAR}-0001, que corrige la factura F{YEAR}-0001, y comunicarla a la "
        "administración tributaria."
    )
    amounts = ["Base imponible: -100,00 EUR", "IVA: -21,00 EUR", "Retención: -15,00 EUR", "Total: -106,00 EUR"]
    amounts.append("Concepto: Identidad visual, 1 \u00d7 -100,00 (21 %)")
    whole = ["Total de la factura corregida: 1.272,00 EUR", "Motivo: R1"]
    assert_question(lines, effect, INVOICE_LINES[0], *amounts, *whole)

    lines = await asked(site, ana, "annul_einvoice", fiscalId=one["einvoice"]["fiscalId"], reason="Por error")
    effect = f"Anular la factura F{YEAR}-0001 ante la administración tributaria: la operación no tuvo lugar."
    assert_question(lines, effect, *INVOICE_LINES, "Motivo: Por error")


async def test_deletions(site, ana):
    invoice = await draft(ana)
    client = await ana.post("/api/clients", {"name": "Ana\nNo se puede deshacer.", "taxId": "12345678Z"})
    expense = {"description": "Gasolina", "amount": 60.5, "date": "2026-03-03", "category": "fuel", "vendor": "Repsol"}
    spent = await ana.post("/api/expenses", expense)
    product = await ana.post("/api/catalog", {"name": "Camiseta", "unitPrice": 12})

    lines = await asked(site, ana, "delete_record", kind="invoice", id=invoice["id"])
    effect = "Eliminar factura: Talleres Norte, S.L."
    assert_question(lines, effect, *INVOICE_LINES, afterwards="Se puede recuperar.")
    lines = await asked(site, ana, "delete_record", kind="client", id=client["id"])
    assert_question(
        lines, "Eliminar cliente: Ana No se puede deshacer.", "NIF: 12345678Z", afterwards="Se puede recuperar."
    )
    lines = await asked(site, ana, "delete_record", kind="expense", id=spent["id"])
    facts = ["Proveedor: Repsol", "Total: 60,50 EUR", "Fecha: 3 de marzo de 2026"]
    restorable = "Se puede recuperar mientras no se presente un impuesto de su periodo."
    assert lines == ["Eliminar gasto: Gasolina", *facts, restorable]
    lines = await asked(site, ana, "delete_record", kind="catalog_item", id=product["id"])
    assert lines == ["Desactivar artículo: Camiseta", "Precio unitario: 12,00 EUR", "Se puede volver a activar."]


async def test_a_supplier_invoice_is_cancelled(site, ana):
    vendor = await ana.post("/api/vendors", {"name": "Papelera"})
    bill = {"vendorId": vendor["id"], "invoiceNumber": "PS-12", "invoiceDate": "2026-11-02", "total": 605.5}
    bill = await ana.post("/api/supplier-invoices", bill)

    lines = await asked(site, ana, "cancel_supplier_invoice", id=bill["id"])

    facts = ["Proveedor: Papelera", "Base imponible: 605,50 EUR", "Total: 605,50 EUR"]
    assert_question(lines, "Cancelar la factura recibida PS-12.", *facts)


async def test_the_till(site, ana):
    till = await ana.post("/api/cash-register", {"openingAmount": 100})
    line = {"description": "Té", "quantity": 1, "unitPrice": 10, "taxRate": 21}
    sale = {"type": "sale", "amount": 12.1, "description": "Té", "paymentMethod": "cash", "lineItems": [line]}

    lines = await asked(site, ana, "add_cash_movement", id=till["id"], **sale)
    effect = (
        f"Anotar una venta en la caja, emitir la factura T{YEAR}-0001 y comunicarla a la administración tributaria."
    )
    facts = ["Base imponible: 10,00 EUR", "IVA: 2,10 EUR", "Total: 12,10 EUR", "Concepto: Té, 1 \u00d7 10,00 (21 %)"]
    facts.append("Medio de pago: efectivo")
    assert_question(lines, effect, *facts, afterwards=FINAL_SEALED)

    await ana.post(
        f"/api/cash-register/{till['id']}/movement", {"type": "cash_out", "amount": 12.1, "description": "x"}
    )
    await ana.post(f"/api/cash-register/{till['id']}/movement", sale)
    refund = {"type": "refund", "amount": 12.1, "description": "Té", "paymentMethod": "cash"}
    lines = await asked(site, ana, "add_cash_movement", id=till["id"], **refund)
    assert f"R{YEAR}-0001" in lines[0]
    assert f"Factura que se rectifica: T{YEAR}-0001" in lines

    lines = await asked(site, ana, "close_cash_register", id=till["id"], closingAmount=90)
    effect = "Cerrar la caja: la diferencia y el número de cierre quedan fijos."
    assert lines[:4] == [effect, "Contado: 90,00 EUR", "Esperado: 100,00 EUR", "Diferencia: -10,00 EUR"]
    assert (lines[4].startswith("Abierta: "), lines[5]) == (True, FINAL)


async def test_a_message_is_shown_whole_or_as_far_as_there_is_room_with_how_much_is_left_out(site, ana):
    invoice = await emitted(ana)
    letter = "Buenos días:\n\n" + "Le recuerdo la factura. " * 20
    words = letter * 4

    short = await asked(site, ana, "send_invoice", id=invoice["id"], message="Le recuerdo\nla factura.")
    whole = await asked(site, ana, "send_invoice", id=invoice["id"], message=letter)
    long = await asked(site, ana, "send_invoice", id=invoice["id"], message=words)
    elsewhere = await asked(site, ana, "send_invoice", id=invoice["id"], email="a@example.com", message=words)

    assert "Mensaje: Le recuerdo la factura." in short
    assert f"Mensaje: {' '.join(letter.split())}" in whole
    [line] = [each for each in long if each.startswith("Mensaje: ")]
    assert line.startswith("Mensaje: Buenos días: Le recuerdo la factura.")
    assert line.endswith("caracteres más")
    assert 1_400 < len("\n".join(long).encode()) <= 1_500
    assert [each for each in elsewhere if each.startswith("Mensaje: Buenos días: ")]


@pytest.mark.parametrize("other", [{"message": "Pague ya."}, {"subject": "Pague ya"}])
async def test_what_is_agreed_to_is_the_subject_and_message_that_were_shown(site, ana, other):
    invoice = await emitted(ana)
    agent = site.agent(ana)
    words = {"subject": "Noviembre", "message": "Le recuerdo la factura."}
    preview = await agent.preview("send_invoice", id=invoice["id"], **words)

    token = {"confirmation_token": preview["confirmationToken"]}
    refused = await agent.refused("send_invoice", id=invoice["id"], **{**words, **other}, **token)

    assert refused["code"].startswith("CONFIRMATION")


async def test_the_subject_of_a_mail_is_shown_whole_before_its_message(site, ana):
    invoice = await emitted(ana)
    words = {"subject": f"Factura de noviembre: {'ñ' * 128}", "message": "Le recuerdo la factura."}

    to_client = await asked(site, ana, "send_invoice", id=invoice["id"], **words)
    elsewhere = await asked(site, ana, "send_invoice", id=invoice["id"], email="a@example.com", **words)

    for lines in (to_client, elsewhere):
        place = lines.index(f"Asunto: {words['subject']}")
        assert lines[place + 1] == "Mensaje: Le recuerdo la factura."


async def test_a_mail_that_was_agreed_to_has_its_subject(site, ana):
    invoice = await emitted(ana)
    agent = site.agent(ana)
    address = f"{uuid4().hex}@example.com"

    words = {"subject": "Noviembre", "message": "Le recuerdo la factura."}
    await agent.ok("send_invoice", id=invoice["id"], email=address, **words)

    [mail] = Mailbox(site.kernel.settings.data_dir / "mail").to(address)
    assert mail["Subject"] == "SIMULACIÓN: Noviembre"
    assert mail.get_body(("plain",)).get_content().startswith("Le recuerdo la factura.")


async def test_a_declaration_is_locked(site, ana):
    period = {"country": "ES", "year": 2026, "period": "Q3", "form": "303"}
    expense = {"description": "Mesa", "amount": 121, "taxRate": 21, "date": "2026-08-01", "category": "equipment"}
    await ana.post("/api/expenses", {**expense, "vendor": "Muebles", "vendorTaxId": "B12345674", "invoiceNumber": "1"})
    form = await ana.post("/api/tax-declarations/generate", period)

    lines = await asked(site, ana, "lock_tax_declaration", id=form["declaration"]["id"])

    assert lines == [
        "Bloquear el modelo 303 de Q3 2026 como presentado. No se envía nada: lo presentas tú.",
        "Desde: 1 de julio de 2026",
        "Hasta: 30 de septiembre de 2026",
        "A compensar: 21,00 EUR",
        "Último día para presentarla: 20 de octubre de 2026",
        FINAL,
    ]


async def test_a_declaration_of_a_running_period_is_asked_about_with_a_warning(site, ana):
    await ana.post("/api/expenses", {"description": "Mesa", "amount": 121, "taxRate": 21, "date": "2026-08-01"})
    period = {"country": "ES", "year": 2099, "period": "Q3", "form": "303"}
    form = await ana.post("/api/tax-declarations/generate", period)

    lines = await asked(site, ana, "lock_tax_declaration", id=form["declaration"]["id"])

    assert "Atención: el periodo termina el 30/09/2099; lo que ocurra hasta entonces no estará." in lines


async def test_a_declaration_of_a_running_period_is_locked_all_the_same_with_a_warning(site, ana):
    agent = site.agent(ana, **{"Accept-Language": "es"})
    form = await agent.ok("generate_tax_declaration", country="ES", year=2099, period="Q4", form="303")

    locked = await agent.ok("lock_tax_declaration", id=form["id"])

    assert locked["status"] == "submitted"
    [warning] = [each["message"] for each in locked["warnings"] if each["code"] == "period_running"]
    assert "El periodo termina el 2099-12-31" in warning


async def test_members_and_their_roles(site, ana):
    await site.colleague(ana, "viewer")
    team = await ana.get("/api/teams/current")
    vera = next(one for one in team["members"] if one["role"] == "viewer")
    named = f"Miembro: […] <{vera['email']}>"  # a name like an id is not shown
    back = "Puedes cambiar el rol o quitar el acceso cuando quieras."

    lines = await asked(site, ana, "invite_member", email="socia@example.com", role="admin")
    effect = f"Dar acceso a las cuentas de {team['team']['name']} a una persona, por correo."
    assert lines == [effect, "Para: socia@example.com", "Rol: administración", back]
    lines = await asked(site, ana, "set_member_role", memberId=vera["id"], role="admin")
    effect = f"Cambiar el rol de un miembro de {team['team']['name']}, desde ya."
    assert lines == [effect, named, "Rol actual: consulta", "Rol: administración", back]
    lines = await asked(site, ana, "remove_member", memberId=vera["id"])
    effect = f"Quitar a un miembro el acceso a {team['team']['name']}, desde ya."
    assert lines == [effect, named, "Rol actual: consulta", "Puedes volver a invitar a esta persona."]


async def test_the_language_is_the_accounts(site):
    owner = await Api.register(site.client, f"{uuid4().hex}@example.com", country="IE")
    invoice = await draft(owner)

    preview = await site.agent(owner, **{"Accept-Language": "es"}).preview(
        "delete_record", kind="invoice", id=invoice["id"]
    )

    assert preview["question"].splitlines()[0] == "Delete invoice: Talleres Norte, S.L."
    assert "Issue date: " in preview["question"]
    assert preview["message"].startswith("Nothing has been done yet.")


async def test_a_doubt_about_the_taxes_is_read_before_the_emission(site, ana):
    german = {**CLIENT, "name": "Beispiel GmbH", "taxId": "DE811569869", "country": "DE", "city": "Berlin"}

    lines = await asked(site, ana, "emit_einvoice", invoiceId=(await draft(ana, client=german))["id"])

    of_place, of_retention = [line for line in lines if line.startswith("Atención: ")]
    assert of_place.startswith("Atención: El cliente es una empresa de otro país de la UE")
    assert "«Servicios a la UE»" in of_place
    assert of_retention.startswith("Atención: El cliente está en otro país")


IBAN, OTHER_IBAN = "ES9121000418450200051332", "ES7921000813610123456789"


async def test_another_bank_account_is_asked_about_on_every_way_to_change_it(site, ana):
    """The team's, a vendor's, and the one of a tax form; other fields are changed without a question."""
    agent = site.agent(ana)
    vendor = await agent.ok("save_vendor", name="Papelera", city="Vigo")
    assert (await agent.call("save_vendor", id=vendor["id"], city="Lugo")).body.get("confirmationRequired") is None

    lines = await asked(site, ana, "save_vendor", id=vendor["id"], iban=IBAN)
    afterwards = "Desde entonces se le paga ahí. Compruébalo con el proveedor por teléfono."
    assert lines == ["Cambiar el proveedor Papelera", f"Cuenta bancaria nueva: {IBAN}", afterwards]
    lines = await asked(site, ana, "save_vendor", name="Imprenta", iban=IBAN)
    assert lines == ["Añadir el proveedor Imprenta", f"Cuenta bancaria nueva: {IBAN}", afterwards]
    await agent.ok("save_company", iban=IBAN)
    lines = await asked(site, ana, "save_company", iban=OTHER_IBAN)
    accounts = [f"Cuenta bancaria actual: {IBAN}", f"Cuenta bancaria nueva: {OTHER_IBAN}"]
    assert lines[1:3] == accounts
    period = {"country": "ES", "year": 2026, "period": "Q3", "form": "303"}
    form = (await ana.post("/api/tax-declarations/generate", period))["declaration"]
    lines = await asked(site, ana, "update_tax_declaration", id=form["id"], iban=OTHER_IBAN)
    assert lines[:2] == ["Cambiar el borrador del modelo 303 de Q3 2026", f"Cuenta bancaria nueva: {OTHER_IBAN}"]
