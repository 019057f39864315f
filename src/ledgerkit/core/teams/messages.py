"""Ids of the messages about teams; their texts stand in the catalogues."""

from ledgerkit.texts import MessageId


class TeamsMsg(MessageId):
    EINVOICING_NOT_IN_COUNTRY = "teams.einvoicing_not_in_country"
    EINVOICING_NEEDS_TAX_ID = "teams.einvoicing_needs_tax_id"
    ALREADY_A_MEMBER = "teams.already_a_member"
    TOO_MANY_INVITATIONS = "teams.too_many_invitations"
    CLOSED = "teams.closed"
    CHANGED = "teams.changed"
    FISCAL_RECORDS_EXIST = "teams.fiscal_records_exist"
    KEY_OF_A_TEAM = "teams.key_of_a_team"
    NO_TEAM = "teams.no_team"
