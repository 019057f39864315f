"""Ids of the messages about imports; their texts are in the catalogues."""

from ledgerkit.texts import MessageId


class ImportMsg(MessageId):
    COLUMNS_IGNORED = "importing.columns_ignored"
    COLUMN_SIMILAR = "importing.column_similar"
    DIFFERS_FROM_ROW = "importing.differs_from_row"
    DUPLICATE = "importing.duplicate"
    FIELD_REQUIRED = "importing.field_required"
    FILE_UNREADABLE = "importing.file_unreadable"
    NOT_A_DAY = "importing.not_a_day"
    NOT_A_NUMBER = "importing.not_a_number"
    NOT_A_TRUTH_VALUE = "importing.not_a_truth_value"
    NOT_AGREEING = "importing.not_agreeing"
    NOT_AN_OBJECT = "importing.not_an_object"
    NOT_SPLIT = "importing.not_split"
    ROW = "importing.row"
    ROWS = "importing.rows"
    TOO_MANY_CELLS = "importing.too_many_cells"
    TOO_MANY_COLUMNS = "importing.too_many_columns"
    TOO_MANY_ROWS = "importing.too_many_rows"
