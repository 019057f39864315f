"""Ids of the messages about requests; their texts are in the catalogues."""

from ledgerkit.texts import MessageId


class RequestMsg(MessageId):
    BODY_COMPRESSED = "request.body_compressed"
    BODY_TOO_LARGE = "request.body_too_large"
    BODY_TOO_SLOW = "request.body_too_slow"
    CLOCK_WRONG = "request.clock_wrong"
    CLOCK_WRONG_WARNING = "request.clock_wrong_warning"
    CONNECTION_ENDED = "request.connection_ended"
    CREDENTIALS_MISSING = "request.credentials_missing"
    KEY_IN_USE = "request.key_in_use"
    KEY_IS_NO_LOGIN = "request.key_is_no_login"
    KEY_OF_ANOTHER_REGISTRATION = "request.key_of_another_registration"
    KEY_OF_ANOTHER_REQUEST = "request.key_of_another_request"
    KEY_OF_ANOTHER_SECRET = "request.key_of_another_secret"
    OUT_OF_SCOPE = "request.out_of_scope"
    REPEAT_OR_TAKE_NEW_KEY = "request.repeat_or_take_new_key"
    ROLE_MAY_NOT = "request.role_may_not"
    STRUCTURE_TOO_LARGE = "request.structure_too_large"
    TOO_MANY_VALUES = "request.too_many_values"


class ConfirmationMsg(MessageId):
    """Refusals of a confirmation."""

    ASK_AGAIN = "confirmation.ask_again"
    DECLINED = "confirmation.declined"
    EXPIRED = "confirmation.expired"
    OF_ANOTHER_ACCOUNT = "confirmation.of_another_account"
    OF_ANOTHER_TOOL = "confirmation.of_another_tool"
    OF_ANOTHER_USER = "confirmation.of_another_user"
    OF_OTHER_ARGUMENTS = "confirmation.of_other_arguments"
    STALE = "confirmation.stale"
    UNKNOWN = "confirmation.unknown"
    USED = "confirmation.used"


class DryRunMsg(MessageId):
    """Steps that are left out of a dry run."""

    AI_ACTION = "dry_run.ai_action"
    CLIENT_DOCUMENT = "dry_run.client_document"
    CONNECTION_TO_AUTHORITY = "dry_run.connection_to_authority"
    CREDENTIALS = "dry_run.credentials"
    FILE = "dry_run.file"
    MAIL = "dry_run.mail"
    PRINTING = "dry_run.printing"
    SENDING = "dry_run.sending"
    WORK_AFTERWARDS = "dry_run.work_afterwards"
