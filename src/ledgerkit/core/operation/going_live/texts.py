"""Ids of the messages about going live; their texts are in the catalogues."""

from ledgerkit.texts import MessageId


class GoingLiveMsg(MessageId):
    ADDRESS_MISSING = "going_live.address_missing"
    ARCHIVE_NAME = "going_live.archive_name"
    BUSY = "going_live.busy"
    CITY_MISSING = "going_live.city_missing"
    NO_MAIL_SERVER = "going_live.no_mail_server"
    NOT_READY = "going_live.not_ready"
    POSTAL_CODE_MISSING = "going_live.postal_code_missing"
    RESTART_IN_PRODUCTION = "going_live.restart_in_production"
    START_REFUSED = "going_live.start_refused"
    TAX_ID_MISSING = "going_live.tax_id_missing"
