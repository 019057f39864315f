"""Ids of the messages on pages for people; their texts stand in the catalogues."""

from ledgerkit.texts import MessageId


class PagesMsg(MessageId):
    WRONG_CREDENTIALS = "pages.wrong_credentials"
    TOO_MANY_ATTEMPTS = "pages.too_many_attempts"
    BUSY = "pages.busy"
    CREDENTIAL_REFUSED = "pages.credential_refused"
