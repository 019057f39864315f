"""Ids of the messages about credentials; their texts are in the catalogues."""

from ledgerkit.texts import MessageId


class CredentialsMsg(MessageId):
    LINK_INVALID = "credentials.link_invalid"


class CredentialPagesMsg(MessageId):
    EMAIL = "credential_pages.email"
    PASSWORD = "credential_pages.password"
    NEW_PASSWORD = "credential_pages.new_password"
    AT_LEAST = "credential_pages.at_least"
    LENGTH = "credential_pages.length"
    NOT_AN_ADDRESS = "credential_pages.not_an_address"
    VERIFY = "credential_pages.verify"
    VERIFY_HELP = "credential_pages.verify_help"
    VERIFY_BUTTON = "credential_pages.verify_button"
    VERIFIED = "credential_pages.verified"
    VERIFIED_HELP = "credential_pages.verified_help"
    RESET = "credential_pages.reset"
    RESET_HELP = "credential_pages.reset_help"
    RESET_BUTTON = "credential_pages.reset_button"
    CHANGED = "credential_pages.changed"
    CHANGED_HELP = "credential_pages.changed_help"
    FORGOT = "credential_pages.forgot"
    FORGOT_HELP = "credential_pages.forgot_help"
    FORGOT_BUTTON = "credential_pages.forgot_button"
    SENT = "credential_pages.sent"
    SENT_HELP = "credential_pages.sent_help"
    IN_FILE = "credential_pages.in_file"
    IN_FILE_HELP = "credential_pages.in_file_help"
    LINK_INVALID = "credential_pages.link_invalid"
    LINK_INVALID_HELP = "credential_pages.link_invalid_help"
