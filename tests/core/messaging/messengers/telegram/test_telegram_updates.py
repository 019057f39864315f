"""Updates in the port's words: what people do in a chat, and what strangers make up."""

import json
import random
from dataclasses import asdict
from typing import Any

import pytest

from ledgerkit.core.messaging.messengers.messenger import (
    BotMessage,
    ChatButton,
    File,
    Left,
    Other,
    SentFile,
    Tap,
    Text,
    Update,
    Voice,
)
from ledgerkit.core.messaging.messengers.telegram.updates import LARGEST_FILE, numbered, read
from support.sampling import examples

OUR_BOT = 42
ASKED = BotMessage(lines=["¿?"], buttons=[[ChatButton(label="Sí", data="y:1"), ChatButton(label="No", data="n:1")]])


async def event_of(messenger, bot):
    """The only event that waits."""
    [(_, update)] = await messenger.updates(0, 0)
    return messenger.read(update).event


def raw(**members: Any) -> dict[str, Any]:
    """An update with a message, as Telegram sends it."""
    person = {"id": 7, "is_bot": False, "first_name": "Ana", "last_name": "García", "language_code": "es"}
    chat = {"id": 7, "type": "private", "first_name": "Ana"}
    message = {"message_id": 5, "from": person, "chat": chat, "date": 1_790_000_000, **members}
    return {"update_id": 1, "message": message}


def words_of(**members: Any) -> Update | None:
    return read(raw(**{"text": "hola", **members}), OUR_BOT)


def sender(**members: Any) -> dict[str, Any]:
    return {"from": {"id": 7, "is_bot": False, "first_name": "Ana", **members}}


# ------------------------------------------------------------ what people do


async def test_words_and_commands_are_texts(messenger, bot, chat):
    number = chat.say("/start aB3")

    [(identity, update)] = await messenger.updates(0, 0)

    assert messenger.read(update) == Update(
        id=identity,
        chat=chat.id,
        sender=chat.sender,
        sender_name="Ana García",
        is_private=True,
        event=Text(message=str(number), words="/start aB3"),
        language="es",
    )


async def test_a_forwarded_text_is_not_the_persons_own(messenger, bot, chat):
    chat.forward("paga 100 €")

    assert (await event_of(messenger, bot)).is_forwarded


@pytest.mark.parametrize("mark", [{"forward_date": 1}, {"forward_origin": {"type": "user"}}, {"forward_origin": 7}])
def test_one_mark_of_forwarding_is_enough(mark):
    assert words_of(**mark).event.is_forwarded


async def test_edited_words_say_so(messenger, bot, chat):
    number = chat.say("100")
    await messenger.updates(bot.take()[0]["update_id"] + 1, 0)
    chat.edit(number, "200")

    assert await event_of(messenger, bot) == Text(message=str(number), words="200", is_edited=True)


async def test_edited_words_under_a_picture_are_a_text(messenger, bot, chat):
    """The picture itself has come before: it is not sent twice."""
    number = chat.photo(b"x", caption="taxi")
    bot.take()
    chat.edit(number, "hotel")

    assert await event_of(messenger, bot) == Text(message=str(number), words="hotel", is_edited=True)


def test_a_place_that_moves_is_no_event():
    moved = {"edited_message": raw(location={"latitude": 1.5, "longitude": 2.5})["message"], "update_id": 1}

    assert read(moved, OUR_BOT) is None


async def test_a_picture_is_taken_in_its_largest_size(messenger, bot, chat):
    number = chat.photo(b"large picture", caption="taxi", album="lunes")
    event = await event_of(messenger, bot)

    assert event == File(
        message=str(number), handle=event.handle, name=f"photo-{number}.jpg", size=13, caption="taxi", album="lunes"
    )
    assert await messenger.fetch(event.handle) == b"large picture"


@pytest.mark.parametrize(
    ("sizes", "chosen"),
    [
        ([(10, 100), (20, LARGEST_FILE), (30, LARGEST_FILE + 1)], "p1"),
        ([(30, None), (20, 5)], "p0"),
        ([(10, LARGEST_FILE + 1)], "p0"),
    ],
)
def test_a_size_that_cannot_be_fetched_is_not_taken(sizes, chosen):
    photo = [
        {"file_id": f"p{place}", "width": width, "height": width, **({"file_size": size} if size else {})}
        for place, (width, size) in enumerate(sizes)
    ]

    assert read(raw(photo=photo), OUR_BOT).event.handle == chosen


async def test_a_document_is_a_file(messenger, bot, chat):
    number = chat.document(b"%PDF", "año.pdf", caption="luz", album="a1")
    event = await event_of(messenger, bot)

    assert event == File(message=str(number), handle=event.handle, name="año.pdf", size=4, caption="luz", album="a1")


@pytest.mark.parametrize(
    ("name", "seen"),
    [
        ("../../etc/passwd", ".._.._etc_passwd"),
        ("C:\\x\\y.pdf", "C:_x_y.pdf"),
        ("a\nb\u202e.pdf", "ab.pdf"),
        ("", "document"),
        ("x" * 1000 + ".pdf", "x" * 196 + ".pdf"),
    ],
)
def test_a_file_name_is_one_line_without_folders(name, seen):
    assert read(raw(document={"file_id": "d", "file_name": name}), OUR_BOT).event.name == seen


def test_a_file_whose_size_is_not_said_has_none():
    assert read(raw(document={"file_id": "d"}), OUR_BOT).event.size is None


@pytest.mark.parametrize("kind", ["voice", "audio"])
async def test_spoken_words_are_a_voice(messenger, bot, chat, kind):
    number = getattr(chat, kind)(b"OggS", seconds=12)
    event = await event_of(messenger, bot)

    assert event == Voice(message=str(number), handle=event.handle, seconds=12, size=4)


async def test_a_forwarded_voice_is_somebody_elses(messenger, bot, chat):
    chat.voice(b"OggS", is_forwarded=True)

    assert (await event_of(messenger, bot)).is_forwarded


@pytest.mark.parametrize("kind", ["sticker", "place"])
async def test_anything_else_that_a_person_sends_is_another_thing(messenger, bot, chat, kind):
    number = getattr(chat, kind)()

    assert await event_of(messenger, bot) == Other(message=str(number))


def test_a_moving_picture_is_no_document():
    """Telegram names it as one too, for older programs."""
    file = {"file_id": "g", "file_name": "x.mp4"}

    assert isinstance(read(raw(animation=file, document=file), OUR_BOT).event, Other)


@pytest.mark.parametrize("member", ["pinned_message", "new_chat_members", "group_chat_created", "boost_added"])
def test_what_telegram_says_itself_is_no_event(member):
    assert read(raw(**{member: {}}), OUR_BOT) is None


async def test_a_press_of_a_button_is_a_tap(messenger, bot, chat):
    number = await messenger.send(chat.id, ASKED)
    chat.tap("No")

    event = await event_of(messenger, bot)

    assert event == Tap(tap=event.tap, message=number, data="n:1")


async def test_a_message_too_old_to_be_shown_still_has_its_buttons(messenger, bot, chat):
    chat.tap_data("y:7", under=3)

    event = await event_of(messenger, bot)

    assert (event.message, event.data) == ("3", "y:7")


async def test_a_reply_answers_the_buttons_of_our_message(messenger, bot, chat):
    number = await messenger.send(chat.id, ASKED)
    chat.say("sí", reply_to=int(number))

    assert (await event_of(messenger, bot)).answers == ("y:1", "n:1")


async def test_a_reply_under_a_document_answers_too(messenger, bot, chat):
    asked = BotMessage(buttons=ASKED.buttons, document=SentFile(name="a", media_type="text/plain", content=b"x"))
    await messenger.send(chat.id, asked)
    chat.reply(chat.last, "sí")

    assert (await event_of(messenger, bot)).answers == ("y:1", "n:1")


async def test_a_reply_to_a_person_answers_nothing(messenger, bot, chat):
    first = chat.say("¿sí?")
    bot.take()
    chat.say("sí", reply_to=first)

    assert (await event_of(messenger, bot)).answers == ()


@pytest.mark.parametrize("author", [{"from": {"id": 43}}, {}, {"from": {"id": OUR_BOT}, "via_bot": {"id": 43}}])
def test_buttons_of_another_bot_are_no_answers_to_us(author):
    keys = {"inline_keyboard": [[{"text": "x", "callback_data": "y:1"}]]}

    assert words_of(reply_to_message={"reply_markup": keys, **author}).event.answers == ()


async def test_who_blocks_the_bot_has_left(messenger, bot, chat):
    chat.block()

    assert await event_of(messenger, bot) == Left()


async def test_who_comes_back_says_so_in_words(messenger, bot, chat):
    chat.block()
    chat.unblock()

    _, (_, back) = await messenger.updates(0, 0)

    assert messenger.read(back) is None


async def test_a_group_is_no_private_chat(messenger, bot, chat):
    member = bot.group("Taller").member(chat)
    member.say("hola")

    [(_, update)] = await messenger.updates(0, 0)
    read_update = messenger.read(update)

    assert (read_update.is_private, read_update.sender) == (False, chat.sender)
    assert read_update.chat == member.id != chat.id


@pytest.mark.parametrize("kind", ["group", "supergroup", "channel", "Private", "", "secret"])
def test_only_private_chats_are_private(kind):
    assert not words_of(chat={"id": 7, "type": kind}).is_private


def test_other_bots_are_not_listened_to():
    assert words_of(**sender(is_bot=True)) is None


# ------------------------------------------------------------ names and languages


@pytest.mark.parametrize(
    ("person", "name"),
    [
        ({"first_name": "<b>Ana</b>", "last_name": "& Co"}, "<b>Ana</b> & Co"),
        ({"first_name": "Ana\n\tGarcía\r", "last_name": ""}, "Ana García"),
        ({"first_name": "\u202eanA", "last_name": "\u200f\u2066x"}, "anA x"),
        ({"first_name": "\N{GRINNING FACE}"}, "\N{GRINNING FACE}"),
        ({"first_name": "x" * 1000, "last_name": "y"}, "x" * 100),
        ({"first_name": "\u200b\u2060", "username": "ana_g"}, "ana_g"),
        ({"first_name": "\u200b"}, "7"),
        ({"first_name": "a\ud83db\x00c"}, "a\ufffdb\ufffdc"),
        ({"first_name": "مريم"}, "مريم"),
    ],
)
def test_a_name_is_one_readable_line(person, name):
    assert words_of(**sender(**person)).sender_name == name


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("es", "es"),
        ("pt-br", "pt-br"),
        ("zh-hans", "zh-hans"),
        ("", None),
        ("x", None),
        ("es'--", None),
        ("e" * 99, None),
    ],
)
def test_a_language_is_a_code_or_none(said, language):
    assert words_of(**sender(language_code=said)).language == language


def test_texts_are_as_long_as_telegram_lets_them_be():
    assert words_of(text="x" * 5000).event.words == "x" * 5000
    assert words_of(text="x" * 50_000) is None


def test_texts_hold_nothing_that_a_database_refuses():
    assert words_of(text="a\x00\ud83d\n\tb").event.words == "a\ufffd\ufffd\n\tb"


# ------------------------------------------------------------ what strangers make up


@pytest.mark.parametrize(
    "update",
    [
        {},
        [],
        "x",
        None,
        {"update_id": 1},
        {"update_id": 1, "message": {}},
        {"update_id": 1, "message": "hola"},
        {"update_id": "1", "message": raw(text="x")["message"]},
        {"update_id": True, "message": raw(text="x")["message"]},
        raw(text=7),
        raw(text="x", chat={"id": "7", "type": "private"}),
        raw(text="x", chat={"id": 1 << 70, "type": "private"}),
        raw(text="x", message_id=-1),
        raw(document={"file_id": ""}),
        raw(document={"file_id": "a b"}),
        raw(document={"file_id": "x" * 1000}),
        raw(voice={"file_id": "v", "duration": -1}),
        raw(photo=[{}]),
        {"update_id": 1, "callback_query": {"id": "1", "from": {"id": 7}, "data": "x"}},
        {"update_id": 1, "my_chat_member": {"from": {"id": 7}, "new_chat_member": {"status": "kicked"}}},
    ],
)
def test_what_is_malformed_is_of_no_interest(update):
    assert read(update, OUR_BOT) is None


@pytest.mark.parametrize(("data", "is_read"), [("x" * 64, True), ("x" * 65, False), ("é" * 33, False), ("", False)])
def test_data_is_not_longer_than_ours_can_be(data, is_read):
    shown = {"message_id": 5, "chat": {"id": 7, "type": "private"}, "date": 0}
    update = {"update_id": 1, "callback_query": {"id": "1", "data": data, "message": shown, **sender()}}

    assert (read(update, OUR_BOT) is not None) is is_read


def test_updates_without_a_number_are_left_out():
    numbers = [1, "2", None, True, -1, 1 << 63, 3]

    assert [number for number, _ in numbered([{"update_id": number} for number in numbers] + [7, None])] == [1, 3]


def test_updates_can_be_stored():
    deep: dict[str, Any] = {}
    for _ in range(500):
        deep = {"reply": deep}
    update = {"update_id": 1, "te\x00xt": "a\x00\ud83d", "n": [float("nan"), float("inf"), 1.5], "deep": deep}

    [(_, stored)] = numbered([update])

    text = json.dumps(stored, allow_nan=False)
    assert "\\u0000" not in text
    assert "\\ud83d" not in text
    assert stored["n"] == [None, None, 1.5]
    assert len(text) < 1000


def changed(value: Any, dice: random.Random) -> Any:
    """The JSON with one of its parts replaced by something that does not belong there."""
    if isinstance(value, dict) and value and dice.random() < 0.9:
        name = dice.choice(list(value))
        if dice.random() < 0.1:
            return {key: member for key, member in value.items() if key != name}
        return {**value, name: changed(value[name], dice)}
    if isinstance(value, list) and value and dice.random() < 0.9:
        place = dice.randrange(len(value))
        return [*value[:place], changed(value[place], dice), *value[place + 1 :]]
    return dice.choice(
        [
            *(
                None,
                True,
                False,
                0,
                -1,
                1 << 63,
                10**40,
                1.5,
                float("nan"),
                float("inf"),
                "",
                "x",
                "7",
                "\x00",
                "\ud800",
            ),
            *("\u202e" * 9, "x" * 20_000, [], [[]], [None], {}, {"id": 7}, {"from": {}}, [{"file_id": "x"}], "private"),
        ]
    )


def seeds() -> list[dict[str, Any]]:
    keys = {"inline_keyboard": [[{"text": "x", "callback_data": "y:1"}]]}
    answered = {"message_id": 4, "from": {"id": OUR_BOT, "is_bot": True}, "reply_markup": keys}
    shown = {"message_id": 5, "chat": {"id": 7, "type": "private"}, "date": 0}
    photo = [{"file_id": "p", "width": 9, "height": 9, "file_size": 5}] * 2
    return [
        raw(text="hola", reply_to_message=answered, forward_origin={"type": "user"}),
        raw(photo=photo, caption="taxi", media_group_id="1"),
        raw(document={"file_id": "d", "file_name": "a.pdf", "file_size": 7}),
        raw(voice={"file_id": "v", "duration": 3, "file_size": 7}),
        raw(sticker={"file_id": "s"}),
        {"update_id": 2, "edited_message": raw(text="hola")["message"]},
        {"update_id": 3, "callback_query": {"id": "1", "data": "y:1", "message": shown, **sender()}},
        {"update_id": 4, "my_chat_member": {**shown, **sender(), "new_chat_member": {"status": "kicked"}}},
    ]


def test_whatever_strangers_make_up_is_read_or_left_out():
    """Ten changes of each valid update, again and again: never an exception, never more than the port allows."""
    dice, read_count, sizes = random.Random(11), 0, examples(20_000)
    for number in range(sizes):
        update = seeds()[number % len(seeds())]
        for _ in range(dice.randrange(1, 10)):
            update = changed(update, dice)

        result = read(update, OUR_BOT)

        if result is not None:
            read_count += 1
            written = json.dumps(asdict(result), ensure_ascii=False).encode()
            assert b"\\u0000" not in written
            assert 0 < len(result.sender_name) <= 100
            assert result.sender_name.isprintable()
            assert isinstance(result.id, int)
        for _, stored in numbered([update]):
            json.dumps(stored, ensure_ascii=False, allow_nan=False).encode()
    assert sizes // 50 < read_count < sizes, "the changes are neither harmless nor fatal"
