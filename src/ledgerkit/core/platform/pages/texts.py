"""Ids of the messages about pages; their texts are in the catalogues."""

from ledgerkit.texts import MessageId


class PagesMsg(MessageId):
    WRONG_PASSWORD = "pages.wrong_password"
    TOO_MANY_ATTEMPTS = "pages.too_many_attempts"
    BUSY = "pages.busy"
    PASSWORD_REFUSED = "pages.password_refused"
    LOG_IN = "pages.log_in"
