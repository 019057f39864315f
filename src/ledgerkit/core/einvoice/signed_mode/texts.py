"""Ids of the messages about the signed mode; their texts are in its own catalogues."""

from pathlib import Path

from ledgerkit.texts import MessageId


class SignedModeMsg(MessageId, folder=Path(__file__).parent / "catalogues"):
    CHANNEL_NOT_INSTALLED = "signed_mode.channel_not_installed"
    DAYS_REVERSED = "signed_mode.days_reversed"
    NO_CHAIN_YET = "signed_mode.no_chain_yet"
    NO_MODE_TO_CHOOSE = "signed_mode.no_mode_to_choose"
    NO_RECORD_IN_PERIOD = "signed_mode.no_record_in_period"
    NO_SIGNED_RECORDS = "signed_mode.no_signed_records"
    NO_SUCH_EVENT = "signed_mode.no_such_event"
    REQUEST_OF_OTHER_DAYS = "signed_mode.request_of_other_days"
    UNKNOWN_MODE = "signed_mode.unknown_mode"
    SCANNED = "signed_mode.scanned"
    SCANNED_AND_LOGGED = "signed_mode.scanned_and_logged"
    RECORD_FLAW = "signed_mode.record_flaw"
    EVENT_FLAW = "signed_mode.event_flaw"
    EVENTS_LISTED = "signed_mode.events_listed", "total"
    MESSAGE_TAKEN = "signed_mode.message_taken"
    MESSAGE_NOT_TAKEN = "signed_mode.message_not_taken"
    MESSAGE_RESULT = "signed_mode.message_result", "records"
    REQUEST_INCOMPLETE = "signed_mode.request_incomplete"
    REQUEST_ANSWERED = "signed_mode.request_answered", "records"
