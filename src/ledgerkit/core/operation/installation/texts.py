"""Ids of the messages about installation; their texts are in the catalogues."""

from ledgerkit.texts import MessageId


class InstallationMsg(MessageId):
    APP_URL_WITHOUT_ROLE = "installation.app_url_without_role"
    DERIVED_PASSWORD_REFUSED = "installation.derived_password_refused"
