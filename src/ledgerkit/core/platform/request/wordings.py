"""Two wordings of what is doubtful: for programs, and for people in the words of the screens."""

from ledgerkit.core.platform.request.context import Channel, Context
from ledgerkit.texts import Text


def worded(ctx: Context, message: Text, words: Text) -> str:
    """Return a doubt in the caller's language: to people in `words`, to others the `message` for programs.

    `message` begins with a code and names fields. While an act is performed it is given on every channel, because its
    answer is compared with the one that was agreed to; the act's summary then has the `words`.
    """
    metadata = ctx.request_metadata
    for_programs, for_people = message.in_language(metadata.language), words.in_language(metadata.language)
    if metadata.wordings is not None:
        metadata.wordings[for_programs] = for_people
        return for_programs
    return for_people if ctx.actor.channel in {Channel.WEB, Channel.MESSAGING} else for_programs
