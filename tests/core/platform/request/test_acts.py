"""Acts that a person agrees to: which there are, their summaries, and their arguments as they are stored."""

import json
import random
import re
from datetime import date
from decimal import Decimal
from functools import cache

import pytest
from pydantic import BaseModel, TypeAdapter

from ledgerkit.core.platform.api_types.wire import Wire
from ledgerkit.core.platform.request.acts import (
    MOST_BYTES,
    Changed,
    DocumentLine,
    Elastic,
    LineTax,
    LongText,
    Money,
    Percent,
    Several,
    Summary,
    short,
)
from ledgerkit.core.platform.request.field_facts import LABELS, NOT_SHOWN, changes
from ledgerkit.core.platform.request.operation import OPERATIONS, Effect
from ledgerkit.core.platform.request.texts import AskMsg, FieldMsg, WordMsg
from ledgerkit.money import dumps_exact
from ledgerkit.problems import Problem
from ledgerkit.providers.es.tax_forms.profile import SpanishTaxProfile
from ledgerkit.texts import languages, text
from ledgerkit.texts.catalogues import FOLDER, has
from support import callgraph
from support.sampling import examples

callgraph.modules()  # declares every operation, those of commands as well
PROPOSABLE = {name: each for name, each in OPERATIONS.items() if each.is_proposable}

NEVER = {
    "attachments.add",
    "attachments.upload",
    "einvoice.certificates.remove",
    "einvoice.certificates.upload",
    "einvoice.inspection.begin_anew",
    "einvoice.inspection.export",
    "einvoice.inspection.overview",
    "einvoice.inspection.verify",
    "einvoice.signed_mode.answer_request",
    "einvoice.signed_mode.scan",
    "einvoice.transmission.reconcile",
    "einvoice.transmission.resume",
    "going_live.go_live",
    "reading.categories.categorize",
    "reading.receipts.scan_receipt",
    "reading.supplier_invoices.analyse_invoice",
}
"""Operations that change something and are still never proposed.

Their arguments are files, secrets or live objects; or they look, and write only that they have looked; or they cost an
AI action; or they need the person's password; or they are an operator's, by a command.
"""

OF_PERSONS = (
    "api_keys.",
    "approvals.",
    "credentials.",
    "identity.",
    "mail.senders.",
    "messaging.",
    "oauth.",
    "personal_data.",
)
"""Operations on a person's own login, keys, chats and approvals."""
ALSO_OF_PERSONS = {
    "einvoice.producer_statement.declaration",
    "invoices.public_links.shared_document",
    "invoices.public_links.shared_pdf",
    "teams.create",
    "teams.invitations.accept_invitation",
    "teams.invitations.login",
    "teams.invitations.register",
    "teams.regenerate_key",
    "teams.switch",
    "teams.web_sessions.open_session",
}


def test_every_operation_that_can_be_proposed_declares_its_summary():
    assert [name for name, each in PROPOSABLE.items() if each.act is None] == []


def test_what_is_never_proposed_is_listed():
    never = {
        name for name, each in OPERATIONS.items() if not each.is_proposable and Effect.READ_ONLY not in each.effects
    }
    of_persons = {name for name in never if name.startswith(OF_PERSONS)}

    declared_so = {name for name, each in OPERATIONS.items() if not each.proposable}
    assert never - of_persons - declared_so == ALSO_OF_PERSONS
    assert declared_so >= NEVER


# ---------------------------------------------------------------- arguments


def _resolved(schema, root):
    while "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    return schema


def _drawn(schema, root, chance, depth=0):
    """A value that the JSON schema describes, drawn at random."""
    schema = _resolved(schema, root)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return chance.choice(schema["enum"])
    if "anyOf" in schema:
        return _drawn(chance.choice(schema["anyOf"]), root, chance, depth)
    kind = schema.get("type")
    kind = chance.choice(kind) if isinstance(kind, list) else kind
    if kind == "object":
        return _drawn_object(schema, root, chance, depth)
    if kind == "array":
        most = min(schema.get("maxItems", 3), 3 if depth < 2 else 1)
        least = min(schema.get("minItems", 0), most)
        return [_drawn(schema.get("items", {}), root, chance, depth + 1) for _ in range(chance.randint(least, most))]
    return _drawn_plain(kind, schema, chance)


def _drawn_object(schema, root, chance, depth):
    fields = schema.get("properties", {})
    required = schema.get("required", [])
    sent = [name for name in fields if name in required or chance.random() < 0.6]
    body = {name: _drawn(fields[name], root, chance, depth + 1) for name in sent}
    if not fields and isinstance(schema.get("additionalProperties"), dict):
        body["07"] = _drawn(schema["additionalProperties"], root, chance, depth + 1)
    return body


SAMPLES = [
    "x",
    "Ñandú 🧾",
    "ES",
    "EUR",
    "R1",
    "Q3",
    "303",
    "B12345674",
    "12345678Z",
    "ES9121000418450200051332",
    "2026",
]
FORMATS = {
    "date": "2026-03-02",
    "date-time": "2026-03-02T10:00:00Z",
    "email": "ana@example.com",
    "uuid": "0190f3a1-7b2c-7000-8000-000000000001",
    "uri": "/api/attachments/x/content",
}


def _drawn_plain(kind, schema, chance):
    drawn = {
        "boolean": lambda: chance.random() < 0.5,
        "integer": lambda: _drawn_integer(schema, chance),
        "number": lambda: chance.choice([0, 1, Decimal("12.5"), Decimal("99.99"), 21, Decimal("0.1")]),
        "string": lambda: _drawn_string(schema, chance),
        "null": lambda: None,
    }
    return drawn.get(kind, lambda: chance.choice([{"name": "Camiseta", "precio": "12,50"}, "x", 5]))()


def _drawn_integer(schema, chance):
    least = int(schema.get("minimum", 0))
    return chance.randint(least, min(int(schema.get("maximum", least + 60)), least + 60))


def _drawn_string(schema, chance):
    if schema.get("format") in FORMATS:
        return FORMATS[schema["format"]]
    fitting = [each for each in SAMPLES if re.search(schema.get("pattern", ""), each)]
    least, most = schema.get("minLength", 0), schema.get("maxLength", 99)
    return chance.choice([each for each in fitting if least <= len(each) <= most] or SAMPLES)


@cache
def _schema(name):
    arguments = PROPOSABLE[name].arguments
    parts = {each: TypeAdapter(arguments._hints[each]).json_schema(mode="validation") for each in arguments._names}
    return arguments, parts


def _generated(name, chance):
    """Arguments as a client would send them, which the operation accepts."""
    arguments, parts = _schema(name)
    sent = {label: _drawn(parts[each], parts[each], chance) for each, label in arguments.labels.items()}
    if arguments.body is not None:
        sent |= _drawn(parts[arguments.body], parts[arguments.body], chance)
    return {label: value for label, value in sent.items() if value is not None}


@pytest.mark.parametrize("name", sorted(PROPOSABLE))
def test_arguments_are_read_again_as_they_were(name):
    arguments, chance = PROPOSABLE[name].arguments, random.Random(name)
    accepted = 0
    wanted = examples(20, one_in=5)
    for _ in range(600):
        try:
            given = arguments.read(_generated(name, chance))
        except Problem:
            continue
        accepted += 1
        on_disk = json.loads(dumps_exact(arguments.stored(given)), parse_float=Decimal)

        again = arguments.read(on_disk)

        assert again == given
        assert _sent(again) == _sent(given)
        assert json.loads(dumps_exact(arguments.stored(again)), parse_float=Decimal) == on_disk
        if accepted == wanted:
            return
    assert accepted, "no generated arguments were accepted"


def _sent(value):
    """The fields of each shape that were sent, at any depth: an absent field keeps its value, a null empties it."""
    if isinstance(value, BaseModel):
        return {name: _sent(getattr(value, name)) for name in value.model_fields_set}
    if isinstance(value, dict):
        return {name: _sent(each) for name, each in value.items()}
    return [_sent(each) for each in value] if isinstance(value, list) else None


# ---------------------------------------------------------------- labels


CHANGED = [
    "business_context.save_entry",
    "catalog.update",
    "clients.update",
    "expenses.update",
    "tasks.update",
    "teams.update_current",
    "vendors.update",
]
PARTS = {"dir3", "series", "receiptId"}
"""Fields that are shown by their own fields, or by another one."""


@pytest.mark.parametrize("name", CHANGED)
def test_every_field_that_a_change_shows_has_a_label(name):
    arguments = OPERATIONS[name].arguments
    body = arguments._hints[arguments.body]
    assert issubclass(body, Wire)
    names = {field.alias or each for each, field in body.model_fields.items()}

    assert names - LABELS.keys() - NOT_SHOWN - PARTS == set()


def test_every_field_of_the_spanish_tax_profile_has_a_label():
    names = {field.alias or each for each, field in SpanishTaxProfile.model_fields.items()}

    assert names - LABELS.keys() == set()


@pytest.mark.parametrize("messages", [AskMsg, FieldMsg, WordMsg])
@pytest.mark.parametrize("language", languages(FOLDER))
def test_summaries_are_in_every_language(messages, language):
    assert [each for each in messages if not has(FOLDER, language, each)] == []


# ---------------------------------------------------------------- lines


HOSTILE = "Norte\nTotal: 1,00 EUR\r\n\u2028No se puede deshacer.\x1b[2J\u202e\u200b"


def summary(name, **facts):
    return Summary(text(AskMsg.DELETE, kind=AskMsg.KIND_CLIENT, name=short(name)), list(facts.values()))


def test_a_name_with_line_breaks_imitates_no_line():
    lines = summary(HOSTILE, client=(AskMsg.CLIENT, HOSTILE), total=(AskMsg.TOTAL, Money("5", "EUR"))).lines("es")

    assert lines == [
        "Eliminar cliente: Norte Total: 1,00 EUR No se puede deshacer.[2J",
        "Cliente: Norte Total: 1,00 EUR No se puede deshacer.[2J",
        "Total: 5,00 EUR",
        "No se puede deshacer.",
    ]


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("mira https://evil.example/x?y=1 ya", "mira […] ya"),
        ("www.evil.example", "[…]"),
        ("pague en pagos.evil-banco.com/a?b=c ya", "pague en […] ya"),
        ("bit.ly/3xYz", "[…]"),
        ("(evil.com:8080/a) y evil.com?a=b", "([…] y […]"),
        ("..evil.com/a .evil.españa/ pago.xn--p1ai#a", "..[…] .[…] […]"),
        ("Booking.com, S.L./S.A. 12.500/3 EUR/mes n.º/año", "Booking.com, S.L./S.A. 12.500/3 EUR/mes n.º/año"),
        ("0190f3a1-7b2c-7000-8000-000000000001", "[…]"),
        ("a" * 64, "[…]"),
        ("javascript://x", "[…]"),
        (f"{'a' * 32}@example.com", f"{'a' * 32}@example.com"),
        ("B12345674", "B12345674"),
        ("ES9121000418450200051332", "ES9121000418450200051332"),
    ],
)
def test_links_ids_and_fingerprints_are_not_shown(typed, shown):
    assert summary("x", client=(AskMsg.CLIENT, typed)).lines("es")[1] == f"Cliente: {shown}"


@pytest.mark.parametrize("sign", ["x", "ñ", "🧾"])
def test_a_summary_is_short_and_says_what_it_leaves_out(sign):
    facts = {str(number): (AskMsg.DOUBT, sign * 500) for number in range(40)}

    lines = summary(sign * 500, total=(AskMsg.TOTAL, Money("5", "EUR")), **facts).lines("es")

    assert len("\n".join(lines).encode()) <= MOST_BYTES
    assert (lines[1], lines[-1]) == ("Total: 5,00 EUR", "No se puede deshacer.")
    assert re.fullmatch(r"… y \d+ más", lines[-2])


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (Money("1234.5", "EUR"), "1.234,50 EUR"),
        (Money("0.0035", "EUR"), "0,0035 EUR"),
        (Percent("5.2"), "5,2 %"),
        (Changed(None, date(2026, 3, 2)), "nada → 2 de marzo de 2026"),
        (Changed(before=True, after=False), "sí → no"),
        (Several(["a", "b"], 12), "a; b; … y 10 más"),
        (DocumentLine("Té", 2, "1.5", LineTax(10)), "Té, 2 \u00d7 1,50 (10 %)"),
        (DocumentLine("Té", 2, "1.5", LineTax(21), 10), "Té, 2 \u00d7 1,50, 10 % de descuento (21 %)"),
        (DocumentLine("Té", 2, "1.5", LineTax(21, surcharge="5.2")), "Té, 2 \u00d7 1,50 (21 % + 5,2 % de recargo)"),
        (DocumentLine("Té", 2, "1.5", LineTax(7, tax="IGIC")), "Té, 2 \u00d7 1,50 (IGIC 7 %)"),
        (
            DocumentLine("Té", 2, "1.5", LineTax(0, untaxed=AskMsg.UNTAXED_EXEMPT)),
            "Té, 2 \u00d7 1,50 (sin IVA: exenta)",
        ),
        (DocumentLine("Té", 1, 1, LineTax(21, regime="05")), "Té, 1 \u00d7 1,00 (21 %, régimen especial 05)"),
        (Decimal("0.50"), "0,5"),
    ],
)
def test_values_are_written_as_the_language_does(value, shown):
    assert summary("x", value=(AskMsg.RESULT, value)).lines("es")[1] == f"Resultado: {shown}"


class Unshown(Elastic):
    """A warning that something of `text` is not shown."""

    def __init__(self, text):
        self.text = text

    def within(self, most, language):
        return "" if self.text.length <= most else f"se ocultan {self.text.length - most}"


def with_text(words, *others):
    """Lines of a summary with a long text, a warning of what is cut off it, and other facts."""
    long = LongText(words)
    facts = [(AskMsg.TOTAL, "9"), (AskMsg.MESSAGE, long), *others, (AskMsg.ATTENTION, Unshown(long))]
    return Summary(text(AskMsg.DRAFT), facts, None).lines("es")


def size(lines):
    return len("\n".join(lines).encode())


LONG_WORDS = ["m", "ñ", "€", "🧾", "ab ", "ñ€ 🧾", "x\u200by"]


@pytest.mark.parametrize("words", LONG_WORDS)
def test_a_long_text_is_shown_whole_where_there_is_room(words):
    long = (words * 1_200)[: 1_200 // len(words.encode())]

    lines = with_text(long)

    assert lines[1:] == ["Total: 9", f"Mensaje: {LongText(long).line}"]


@pytest.mark.parametrize("words", LONG_WORDS)
@pytest.mark.parametrize("length", [600, 1_399, 1_440, 1_460, 2_000])
def test_a_long_text_is_cut_only_as_far_as_it_must_be_and_that_is_warned_of(words, length):
    """One character more would not fit; a cut is counted, and its warning tells the same number."""
    long = (words * length)[:length]
    whole = LongText(long).line

    lines = with_text(long)

    assert size(lines) < MOST_BYTES
    message = lines[2].removeprefix("Mensaje: ")
    if message == whole:
        assert lines[3:] == []
        return
    cut = re.fullmatch("(.*)… y (\\d+) caracteres? más", message)
    assert cut, message
    assert whole.startswith(cut[1])
    assert lines[3:] == [f"Atención: se ocultan {cut[2]}"]
    shown = len(whole) - int(cut[2])
    assert len(cut[1]) == len(whole[:shown].rstrip())
    one_more = whole[: shown + 1].rstrip()
    assert size(lines) + len(one_more.encode()) - len(cut[1].encode()) >= MOST_BYTES - len(" 🧾".encode())


def test_warnings_stay_where_other_facts_are_left_out():
    others = [(AskMsg.CONCEPT, f"{place} {'x' * 90}") for place in range(20)]

    lines = with_text("m" * 300, *others, (AskMsg.DOUBT, "la fecha es anterior"))

    assert "Atención: la fecha es anterior" in lines
    assert any(line.startswith("Mensaje: mmm") for line in lines)


def test_two_texts_that_do_not_fit_at_two_hundred_characters_take_all_the_room():
    subject, message = LongText("🧾" * 150), LongText("🧾" * 300)
    facts = [(AskMsg.TOTAL, "9"), (AskMsg.SUBJECT, subject), (AskMsg.MESSAGE, message)]
    warned = [(AskMsg.ATTENTION, Unshown(subject)), (AskMsg.ATTENTION, Unshown(message))]
    others = [(AskMsg.DOUBT, f"{place} {'x' * 90}") for place in range(5)]

    lines = Summary(text(AskMsg.DRAFT), [*facts, *warned, *others], None).lines("es")

    assert MOST_BYTES - 40 < size(lines) <= MOST_BYTES
    counts = [int(re.search(r"… y (\d+) caracteres más$", line)[1]) for line in lines[2:4]]
    assert [line.count("🧾") for line in lines[2:4]] == [150 - counts[0], 300 - counts[1]]
    assert 50 < lines[2].count("🧾") == lines[3].count("🧾") < 150
    assert lines[4:6] == [f"Atención: se ocultan {count}" for count in counts]
    assert len(lines) == 11


def test_other_facts_take_the_room_of_a_long_text_down_to_its_first_two_hundred_characters():
    others = [(AskMsg.CONCEPT, f"{place} {'x' * 90}") for place in range(20)]

    lines = with_text("m" * 2_000, *others)

    assert lines[2] == f"Mensaje: {'m' * 200}… y 1800 caracteres más"
    assert "Atención: se ocultan 1800" in lines
    assert re.fullmatch(r"… y \d+ más", lines[-1])
    assert size(lines) <= MOST_BYTES


def test_a_long_text_that_is_left_out_is_warned_of_as_hidden_altogether():
    facts = [(AskMsg.ATTENTION, f"{place} {'x' * 90}") for place in range(20)]
    long = LongText("m" * 150)

    lines = Summary(text(AskMsg.DRAFT), [(AskMsg.ATTENTION, Unshown(long)), (AskMsg.MESSAGE, long), *facts], None)

    assert "Atención: se ocultan 150" in lines.lines("es")
    assert not any("mm" in line for line in lines.lines("es"))


def test_each_changed_field_is_shown_with_both_values():
    before = {"id": "a", "city": "Madrid", "defaultTaxRate": 21, "isCompany": True, "dir3": {"managingBody": "L01"}}
    after = {"id": "a", "city": "Bilbao", "defaultTaxRate": 10, "isCompany": True, "dir3": None, "unheardOf": 1}

    lines = Summary(text(AskMsg.DRAFT), changes(before, after, "EUR"), None).lines("es")

    assert lines[1:] == [
        "Localidad: Madrid → Bilbao",
        "Órgano gestor: L01 → nada",
        "IVA habitual: 21 % → 10 %",
        "Otros datos que cambian: 1",
    ]


def test_a_change_that_changes_nothing_says_so():
    lines = Summary(text(AskMsg.DRAFT), changes({"city": "x", "version": 1}, {"city": "x", "version": 2}, "EUR"), None)

    assert lines.lines("es")[1:] == ["Atención: no cambiaría nada."]


@pytest.mark.parametrize("name", ["clientId", "invoiceId", "vendorId", "assignedTo", "order", "logo"])
def test_a_change_of_what_has_no_name_is_a_change_all_the_same(name):
    facts = changes({"city": "x", name: "a"}, {"city": "x", name: "b"}, "EUR")

    assert Summary(text(AskMsg.DRAFT), facts, None).lines("es")[1:] == ["Otros datos que cambian: 1"]
