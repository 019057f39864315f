"""Ids of the messages about personal data; their texts are in the catalogues."""

from ledgerkit.texts import MessageId


class PersonalDataMsg(MessageId):
    NONE_BEGUN = "personal_data.none_begun"
    NO_EXPORT = "personal_data.no_export"
    OTHER_MEMBERS = "personal_data.other_members"
