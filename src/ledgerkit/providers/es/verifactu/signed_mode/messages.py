"""Ids of the messages about signing records; their texts are in the signed mode's own catalogues."""

from pathlib import Path

from ledgerkit.texts import MessageId


class SigningMsg(MessageId, folder=Path(__file__).parent / "texts"):
    EXPORT_WITHOUT_RECORDS = "signing.export_without_records"
    KEY_NOT_RSA = "signing.key_not_rsa"
    KEY_UNUSABLE = "signing.key_unusable"
    SWITCHED_OFF = "signing.switched_off"
