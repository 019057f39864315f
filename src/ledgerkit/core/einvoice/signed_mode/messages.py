"""Ids of the messages about the signed mode; their texts stand in its own catalogues."""

from pathlib import Path

from ledgerkit.texts import MessageId


class SignedModeMsg(MessageId, folder=Path(__file__).parent / "texts"):
    CHANNEL_NOT_INSTALLED = "signed_mode.channel_not_installed"
    DAYS_REVERSED = "signed_mode.days_reversed"
    NO_CHAIN_YET = "signed_mode.no_chain_yet"
    NO_MODE_TO_CHOOSE = "signed_mode.no_mode_to_choose"
    NO_RECORD_IN_PERIOD = "signed_mode.no_record_in_period"
    NO_SIGNED_RECORDS = "signed_mode.no_signed_records"
    NO_SUCH_EVENT = "signed_mode.no_such_event"
    REQUEST_OF_OTHER_DAYS = "signed_mode.request_of_other_days"
    UNKNOWN_MODE = "signed_mode.unknown_mode"
