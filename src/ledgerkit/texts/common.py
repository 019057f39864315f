"""Words that texts of all domains use."""

from ledgerkit.texts.messages import MessageId


class CommonMsg(MessageId):
    AND = "common.and"
    CORRECT_FIELD = "common.correct_field"
    OR = "common.or"
    NONE = "common.none"
