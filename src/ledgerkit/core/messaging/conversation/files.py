"""Pictures and documents: each is a receipt that is read, for one AI action."""

import base64
from typing import Any

from ledgerkit.core.messaging.conversation import pictures, receipts
from ledgerkit.core.messaging.conversation.turn import Turn, button
from ledgerkit.core.messaging.messengers.messenger import File, MessengerError, RejectedError, Tap
from ledgerkit.core.messaging.texts import ChatMsg
from ledgerkit.core.platform.attachments import operations as attachments
from ledgerkit.core.platform.attachments.api import AttachmentInput, AttachmentPlace, DocumentType
from ledgerkit.core.purchases.reading.api import ReceiptImage, ScannedReceipt
from ledgerkit.core.purchases.reading.receipts import operations as reading
from ledgerkit.core.tasks import operations as tasks
from ledgerkit.core.tasks.api import TaskInput
from ledgerkit.problems import Code, PaymentRequired, Unavailable
from ledgerkit.texts import MessageId

KEEP = "f"
"""Verb of the button that keeps a picture which was not read, as a task."""

_LARGEST = 10 << 20


async def received(turn: Turn, event: File) -> None:
    """Read a receipt and propose its expense. Raises Unavailable, and what reading raises."""
    largest = min(turn.arrived.messenger.largest_file, _LARGEST)
    if event.size is not None and event.size > largest:
        turn.say(turn.words(ChatMsg.FILE_TOO_LARGE, most=largest >> 20))
        return
    if not turn.arrived.is_repeated:
        await turn.say_now(turn.words(ChatMsg.READING))
    try:
        content = await turn.arrived.messenger.fetch(event.handle)
    except RejectedError:
        turn.say(turn.words(ChatMsg.FILE_TOO_LARGE, most=largest >> 20))
        return
    except MessengerError:
        turn.say(turn.words(ChatMsg.FILE_NOT_FETCHED))
        return
    picture = pictures.without_metadata(content)
    if picture is None or len(content) > largest:
        turn.say(turn.words(ChatMsg.FILE_UNKNOWN))
        return
    await _read(turn, picture, event)


async def _read(turn: Turn, picture: pictures.Picture, event: File) -> None:
    url = f"data:{picture.media_type};base64,{base64.b64encode(picture.content).decode()}"
    try:
        receipt = await reading.scan_receipt(turn.filing, ReceiptImage(image=url))
    except PaymentRequired:
        await _keep_unread(turn, url, event, ChatMsg.NO_ACTIONS_LEFT)
        return
    except Unavailable as problem:
        if problem.code is not Code.AI_NOT_CONFIGURED:
            raise
        await _keep_unread(turn, url, event, ChatMsg.NOBODY_READS)
        return
    for words in _doubts(turn, receipt):
        turn.say(words)
    await receipts.propose(turn, receipts.fields_of(receipt))


def _doubts(turn: Turn, receipt: ScannedReceipt) -> list[str]:
    """Return what is doubtful of a receipt: the reader's words, and that it seems to be recorded already."""
    return [turn.words(ChatMsg.DOUBT, words=words) for words in receipt.warnings]


async def _keep_unread(turn: Turn, url: str, event: File, why: MessageId) -> None:
    """Store a picture that was not read, and offer to keep it as a task; without that it goes after a day."""
    name = event.name or "receipt"
    stored = await attachments.upload(turn.filing, AttachmentInput.model_validate({"name": name, "content": url}))
    keep = button(turn.words(ChatMsg.KEEP_AS_TASK), KEEP, stored.id)
    turn.say(turn.words(why), buttons=[[keep]])


async def keep_in_task(turn: Turn, tap: Tap, attachment_id: str) -> None:
    """Make a task of a picture that was not read."""
    title = turn.words(ChatMsg.UNREAD_RECEIPT, day=turn.day(turn.member.account.today()))
    task = await tasks.create(turn.tapping, TaskInput.model_validate({"title": title}))
    place: dict[str, Any] = {"documentType": DocumentType.TASK.value, "documentId": task.id}
    await attachments.attach(turn.deciding, attachment_id, AttachmentPlace.model_validate(place))
    turn.say(turn.words(ChatMsg.KEPT_AS_TASK), replaces=tap.message)
