"""Messages as people see them on Telegram: hostile texts, limits, buttons, documents and edits."""

import random

import pytest

from ledgerkit.core.messaging.messengers.messenger import BotMessage, ChatButton, PageButton, RejectedError, SentFile
from ledgerkit.core.messaging.messengers.telegram import markup
from support.botapi import LOST, fails
from support.botapi.entities import parsed, units
from support.sampling import examples

PDF = SentFile(name="F-2026-0001.pdf", media_type="application/pdf", content=b"%PDF-1.7 \x00\r\n")
FAMILY = "\N{MAN}\u200d\N{WOMAN}\u200d\N{GIRL}"
HOSTILE = [
    "<b>Bold</b>",
    "<script>alert(1)</script>",
    "a & b &amp; c &lt;",
    "1 < 2 > 0",
    "</b></b>",
    "&#60;b&#62;",
    "quo\"te's",
    "\N{GRINNING FACE}" * 3,
    FAMILY,
    "مؤسسة الأمل",
    "_*[x](y)*_",
    "tab\tand\nbreak",
]
PIECES = [
    "<",
    ">",
    "&",
    "&amp;",
    "<b>",
    "</b>",
    "\N{GRINNING FACE}",
    "é",
    "€",
    "a",
    " ",
    "\n",
    "\u200f",
    "\u202e",
    "\x00",
]


def document(words: str = "") -> BotMessage:
    return BotMessage(title="Factura", lines=[words] if words else [], document=PDF)


# ------------------------------------------------------------ texts


@pytest.mark.parametrize("words", HOSTILE)
async def test_a_text_is_seen_as_it_was_written(messenger, chat, words):
    await messenger.send(chat.id, BotMessage(title=words, lines=[words, words]))

    assert chat.last.text == "\n".join([words] * 3)
    assert chat.last.strong == [words]


@pytest.mark.parametrize(
    ("words", "seen"),
    [
        ("a\u202egro", "agro"),
        ("\u2066x\u2069", "x"),
        ("nul\x00\x07l", "null"),
        ("one\r\ntwo\rthree", "one\ntwo\nthree"),
        ("half \ud83d pair", "half \ufffd pair"),
        ("\ud83d\ude00", "\N{GRINNING FACE}"),
        ("\u200f\u05d0\u05d1", "\u200f\u05d0\u05d1"),
    ],
)
async def test_what_misleads_or_cannot_be_written_is_taken_out(messenger, chat, words, seen):
    await messenger.send(chat.id, BotMessage(lines=[words]))

    assert chat.last.text == seen


async def test_a_title_stands_above_its_lines(messenger, chat):
    await messenger.send(chat.id, BotMessage(title="Gasto", lines=["12,00 €", "Bar"]))

    assert (chat.last.text, chat.last.strong) == ("Gasto\n12,00 €\nBar", ["Gasto"])


async def test_a_message_without_a_title_has_nothing_strong(messenger, chat):
    await messenger.send(chat.id, BotMessage(lines=["hola"]))

    assert (chat.last.text, chat.last.strong) == ("hola", [])


async def test_no_page_is_shown_under_a_message(messenger, bot, chat):
    await messenger.send(chat.id, BotMessage(lines=["https://ledgerkit.example"]))

    [call] = bot.calls_of("sendMessage")
    assert call["link_preview_options"] == {"is_disabled": True}


@pytest.mark.parametrize("sign", ["x", "&", "<", "\N{GRINNING FACE}", "é", "\u200f"])
async def test_a_long_text_is_cut_and_says_so(messenger, chat, sign):
    await messenger.send(chat.id, BotMessage(title="Título", lines=[sign * 5000]))

    text = chat.last.text
    assert text.startswith(f"Título\n{sign}")
    assert text.endswith("…")
    assert 4094 <= units(text) <= 4096


async def test_a_text_of_exactly_the_limit_is_not_cut(messenger, chat):
    await messenger.send(chat.id, BotMessage(title="T" * 96, lines=["&" * 3999]))

    assert chat.last.text == f"{'T' * 96}\n{'&' * 3999}"


async def test_a_long_title_is_cut_and_stays_strong(messenger, chat):
    await messenger.send(chat.id, BotMessage(title="&" * 5000, lines=["gone"]))

    assert chat.last.text == f"{'&' * 4095}…"
    assert chat.last.strong == [chat.last.text]


def test_any_text_is_valid_markup_within_any_limit():
    dice = random.Random(7)
    for _ in range(examples(2000)):
        limit = dice.randrange(1, 60)
        title, *lines = ("".join(dice.choices(PIECES, k=dice.randrange(40))) for _ in range(3))
        message = BotMessage(title=title, lines=lines)

        seen = parsed(markup.rendered(message, limit)).text

        whole = parsed(markup.rendered(message, 10_000)).text
        assert units(seen) <= limit
        assert seen == whole or whole.startswith(seen.removesuffix("…"))
        assert markup.fits(message, limit) == (units(whole) <= limit)


# ------------------------------------------------------------ buttons


async def test_buttons_stand_in_their_rows(messenger, chat):
    rows = [
        [ChatButton(label="Sí", data="y"), ChatButton(label="No", data="n")],
        [],
        [ChatButton(label="Más", data="m")],
    ]

    await messenger.send(chat.id, BotMessage(lines=["¿?"], buttons=rows))

    assert chat.last.labels == [["Sí", "No"], ["Más"]]
    assert [key.data for key in chat.last.keys] == ["y", "n", "m"]


@pytest.mark.parametrize(
    ("label", "seen"),
    [
        ("x" * 5000, f"{'x' * 63}…"),
        ("\N{GRINNING FACE}" * 40, "\N{GRINNING FACE}" * 31 + "…"),
        ("", "…"),
        ("\u202e\x00 \n", "…"),
        ("<b>a</b> &\nb", "<b>a</b> & b"),
    ],
)
async def test_a_label_is_one_short_line(messenger, chat, label, seen):
    await messenger.send(chat.id, BotMessage(lines=["¿?"], buttons=[[ChatButton(label=label, data="x")]]))

    assert chat.last.labels == [[seen]]


async def test_data_of_the_most_bytes_comes_back(messenger, chat):
    data = "é" * 32
    await messenger.send(chat.id, BotMessage(lines=["¿?"], buttons=[[ChatButton(label="Sí", data=data)]]))
    chat.tap("Sí")

    [(_, update)] = await messenger.updates(0, 0)

    assert messenger.read(update).event.data == data


async def test_a_link_opens_a_page(messenger, chat):
    link = PageButton(label="Abrir", url="https://ledgerkit.example/x?a=1&b=2")

    await messenger.send(chat.id, BotMessage(lines=["Mira"], buttons=[[link]]))

    assert (chat.last.text, chat.last.keys[0].url) == ("Mira", link.url)


@pytest.mark.parametrize(
    "url", ["http://localhost:8000/x", "http://server/x", "ftp://ledgerkit.example", "https://[", "javascript:alert(1)"]
)
async def test_a_link_that_telegram_refuses_is_a_line(messenger, chat, url):
    """Else the whole message is refused: an installation at home has such an address."""
    rows = [[ChatButton(label="Sí", data="y"), PageButton(label="Abrir", url=url)]]

    await messenger.send(chat.id, BotMessage(lines=["Mira"], buttons=rows))

    assert (chat.last.text, chat.last.labels) == (f"Mira\nAbrir: {url}", [["Sí"]])


# ------------------------------------------------------------ documents


async def test_a_document_has_its_text_and_buttons_under_it(messenger, bot, chat):
    rows = [[ChatButton(label="Enviar", data="s")]]

    number = await messenger.send(chat.id, BotMessage(title="A & B", lines=["<1>"], buttons=rows, document=PDF))

    shown = chat.last
    assert (shown.document.name, shown.document.media_type) == (PDF.name, PDF.media_type)
    assert shown.document.content == PDF.content
    assert (number, shown.text, shown.strong, shown.labels) == (
        str(shown.number),
        "A & B\n<1>",
        ["A & B"],
        [["Enviar"]],
    )


async def test_a_text_too_long_for_a_document_follows_it(messenger, chat):
    """So do the buttons, and the number is that of the text, which can be replaced."""
    rows = [[ChatButton(label="Enviar", data="s")]]

    number = await messenger.send(chat.id, BotMessage(title="A", lines=["&" * 1023], buttons=rows, document=PDF))

    first, second = chat.shown
    assert (first.text, first.labels, first.document is not None) == ("", [], True)
    assert (second.text, second.labels, str(second.number)) == (f"A\n{'&' * 1023}", [["Enviar"]], number)


async def test_a_text_that_just_fits_stands_under_its_document(messenger, chat):
    await messenger.send(chat.id, BotMessage(title="A", lines=["&" * 1022], document=PDF))

    [shown] = chat.shown
    assert shown.text == f"A\n{'&' * 1022}"


@pytest.mark.parametrize(
    ("name", "seen"),
    [
        ("año & <b>.pdf", "año & <b>.pdf"),
        ('a"b.pdf', 'a"b.pdf'),
        ("a\r\nb.pdf", "a b.pdf"),
        ("\u202efdp.exe", "fdp.exe"),
        ("", "document"),
        ("x" * 500, f"{'x' * 119}…"),
    ],
)
async def test_a_name_of_a_document_is_one_line(messenger, chat, name, seen):
    await messenger.send(chat.id, BotMessage(document=SentFile(name=name, media_type="text/plain", content=b"x")))

    assert chat.last.document.name == seen


# ------------------------------------------------------------ edits


async def test_a_message_is_replaced_with_its_buttons(messenger, chat):
    rows = [[ChatButton(label="Sí", data="y")]]
    number = await messenger.send(chat.id, BotMessage(lines=["¿Seguro?"], buttons=rows))

    await messenger.replace(chat.id, number, BotMessage(title="Hecho", lines=["<ok>"]))

    [shown] = chat.shown
    assert (shown.text, shown.strong, shown.labels) == ("Hecho\n<ok>", ["Hecho"], [])
    assert shown.earlier == ["¿Seguro?"]


async def test_the_same_message_again_is_no_error(messenger, chat):
    number = await messenger.send(chat.id, BotMessage(lines=["hola"]))

    await messenger.replace(chat.id, number, BotMessage(lines=["hola"]))

    assert chat.last.earlier == []


async def test_a_replacement_whose_answer_was_lost_can_be_repeated(messenger, bot, chat):
    number = await messenger.send(chat.id, BotMessage(lines=["uno"]))
    bot.fail("editMessageText", LOST)
    with pytest.raises(Exception, match="editMessageText"):
        await messenger.replace(chat.id, number, BotMessage(lines=["dos"]))

    await messenger.replace(chat.id, number, BotMessage(lines=["dos"]))

    assert (chat.last.text, chat.last.earlier) == ("dos", ["uno"])


async def test_the_text_under_a_document_is_replaced_and_cut(messenger, chat):
    number = await messenger.send(chat.id, document("uno"))

    await messenger.replace(chat.id, number, BotMessage(lines=["&" * 2000]))
    await messenger.replace(chat.id, number, BotMessage(lines=["&" * 2000]))

    assert (chat.last.text, chat.last.document.name) == (f"{'&' * 1023}…", PDF.name)
    assert len(chat.last.earlier) == 1


async def test_a_message_that_is_gone_cannot_be_replaced(messenger, chat):
    with pytest.raises(RejectedError, match="message to edit not found"):
        await messenger.replace(chat.id, "99999", BotMessage(lines=["x"]))


async def test_a_message_of_a_person_cannot_be_replaced(messenger, chat):
    with pytest.raises(RejectedError, match="can't be edited"):
        await messenger.replace(chat.id, str(chat.say("hola")), BotMessage(lines=["x"]))


async def test_a_document_takes_no_messages_place(messenger, chat):
    number = await messenger.send(chat.id, BotMessage(lines=["hola"]))

    with pytest.raises(RejectedError, match="document"):
        await messenger.replace(chat.id, number, document())


# ------------------------------------------------------------ taps


@pytest.mark.parametrize(
    ("words", "notice"), [("", ""), ("<Hecho> & más", "<Hecho> & más"), ("x" * 500, f"{'x' * 199}…"), ("a\x00b", "ab")]
)
async def test_a_tap_is_acknowledged(messenger, chat, words, notice):
    await messenger.send(chat.id, BotMessage(lines=["¿?"], buttons=[[ChatButton(label="Sí", data="y")]]))
    pressed = chat.tap("Sí")
    [(_, update)] = await messenger.updates(0, 0)

    await messenger.acknowledge(messenger.read(update).event.tap, words)

    assert pressed.notice == notice


async def test_a_tap_that_is_too_old_is_no_error(messenger, chat):
    await messenger.send(chat.id, BotMessage(lines=["¿?"], buttons=[[ChatButton(label="Sí", data="y")]]))
    pressed = chat.tap("Sí")
    pressed.expire()
    [(_, update)] = await messenger.updates(0, 0)

    await messenger.acknowledge(messenger.read(update).event.tap)
    await messenger.acknowledge("never heard of")

    assert pressed.notice is None


async def test_another_refusal_of_an_acknowledgement_is_an_error(messenger, bot):
    bot.fail("answerCallbackQuery", fails(400, "Bad Request: MESSAGE_TOO_LONG"))

    with pytest.raises(RejectedError):
        await messenger.acknowledge("1")
