"""Words that texts of all domains use."""

from ledgerkit.texts.messages import MessageId


class CommonMsg(MessageId):
    AND = "common.and"
    BETWEEN_VALUES = "common.between_values"
    CORRECT_FIELD = "common.correct_field"
    DAY = "common.day"
    DECIMAL_MARK = "common.decimal_mark"
    OR = "common.or"
    NONE = "common.none"
