"""Voice notes: their words, by the transcription of a model server where one is set up."""

from ledgerkit.core.messaging.conversation.turn import Turn
from ledgerkit.core.messaging.messengers.messenger import MessengerError, Voice
from ledgerkit.core.messaging.texts import ChatMsg
from ledgerkit.core.platform.ai.model import ModelClient, ModelFailure

_LONGEST_SECONDS = 120


async def words_of(turn: Turn, event: Voice) -> str | None:
    """Return the words of a voice note; None where they cannot be had, which is said."""
    model = turn.kernel.service(ModelClient)
    if not model.transcribes:
        turn.say(turn.words(ChatMsg.NO_VOICE))
        return None
    if event.seconds > _LONGEST_SECONDS:
        turn.say(turn.words(ChatMsg.VOICE_TOO_LONG, most=_LONGEST_SECONDS))
        return None
    try:
        sound = await turn.arrived.messenger.fetch(event.handle)
        words = await model.transcribe(sound, turn.language)
    except (MessengerError, ModelFailure):
        turn.say(turn.words(ChatMsg.VOICE_FAILED))
        return None
    if not words:
        turn.say(turn.words(ChatMsg.VOICE_FAILED))
        return None
    return words
