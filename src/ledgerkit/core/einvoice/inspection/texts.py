"""Ids of the messages about verification, export and continuation; their texts are in the catalogues."""

from ledgerkit.texts import MessageId


class InspectionMsg(MessageId):
    ANNUL_AGAIN = "einvoice.inspection.annul_again"
    CHAIN_BEGUN = "einvoice.inspection.chain_begun", "position"
    EMIT_AGAIN = "einvoice.inspection.emit_again"
    EMIT_CORRECTED = "einvoice.inspection.emit_corrected"
    EMIT_IT = "einvoice.inspection.emit_it"
    EMIT_RENUMBERED = "einvoice.inspection.emit_renumbered"
    IMPORTED_LATER = "einvoice.inspection.imported_later"
    INVALID_LINK = "einvoice.inspection.invalid_link"
    NO_AUDITOR = "einvoice.inspection.no_auditor"
    NO_CHAIN_TO_CONTINUE = "einvoice.inspection.no_chain_to_continue"
    NO_OPEN_CHAIN = "einvoice.inspection.no_open_chain"
    NO_SUCH_CHAIN = "einvoice.inspection.no_such_chain"
    OTHER_RECORD_HELD = "einvoice.inspection.other_record_held"
    PERIOD_REVERSED = "einvoice.inspection.period_reversed"
    RECORD_NOT_HELD = "einvoice.inspection.record_not_held"
    RESTORE_AND_EMIT_IT = "einvoice.inspection.restore_and_emit_it"
    TIME_IN_FUTURE = "einvoice.inspection.time_in_future"
    TOO_MANY_TO_EXPORT = "einvoice.inspection.too_many_to_export"
    TOO_MANY_TO_VERIFY = "einvoice.inspection.too_many_to_verify"
