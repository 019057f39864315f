"""Ids of the messages about tax declarations; their texts stand in the catalogues."""

from ledgerkit.texts import MessageId


class DeclarationsMsg(MessageId):
    AMENDED = "declarations.amended"
    BOOKS_CHANGED = "declarations.books_changed"
    BOX_NEGATIVE = "declarations.box_negative"
    BOX_TOO_PRECISE = "declarations.box_too_precise"
    BOX_UNKNOWN = "declarations.box_unknown"
    CHANGED_MEANWHILE = "declarations.changed_meanwhile"
    COMPUTED_HERE = "declarations.computed_here"
    COUNTRY_UNKNOWN = "declarations.country_unknown"
    EXTERNAL_HAS_NO_FILE = "declarations.external_has_no_file"
    FILE_INCOMPLETE = "declarations.file_incomplete"
    FOREIGN_CURRENCY = "declarations.foreign_currency"
    FORM_GONE = "declarations.form_gone"
    FORM_UNKNOWN = "declarations.form_unknown"
    FORM_UNKNOWN_IN_YEAR = "declarations.form_unknown_in_year"
    PERIOD_UNKNOWN = "declarations.period_unknown"
    PROFILE_OUTDATED = "declarations.profile_outdated"
    SUBMITTED = "declarations.submitted"
    SUBMITTED_DIFFERS = "declarations.submitted_differs"
    TYPE_IMPOSSIBLE = "declarations.type_impossible"
    TYPE_UNKNOWN = "declarations.type_unknown"


class DraftMsg(MessageId):
    """Words of the printed draft."""

    AMENDS = "declarations.draft.amends"
    AMOUNT = "declarations.draft.amount"
    BOX = "declarations.draft.box"
    COMPUTED = "declarations.draft.computed"
    DRAFT = "declarations.draft.draft"
    DUE = "declarations.draft.due"
    FINGERPRINT = "declarations.draft.fingerprint"
    IBAN = "declarations.draft.iban"
    NAME = "declarations.draft.name"
    NOTES = "declarations.draft.notes"
    PERIOD = "declarations.draft.period"
    RECORDS = "declarations.draft.records"
    RESULT = "declarations.draft.result"
    SUBMITTED = "declarations.draft.submitted"
    TAX_ID = "declarations.draft.tax_id"
    TYPE = "declarations.draft.type"
    WARNINGS = "declarations.draft.warnings"
