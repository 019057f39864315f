"""Ids of the messages about approvals; their texts are in the catalogues."""

from ledgerkit.texts import MessageId


class ApprovalsMsg(MessageId):
    ASKED_AGAIN = "approvals.asked_again"
    APPROVER_MAY_NOT = "approvals.approver_may_not"
    CHANGED = "approvals.changed"
    DECIDED = "approvals.decided"
    APPLICATION_REVOKED = "approvals.application_revoked"
    EXPIRED = "approvals.expired"
    IDLE = "approvals.idle"
    LIMITS_NEED_TOTAL = "approvals.limits_need_total"
    LOOK_AGAIN = "approvals.look_again"
    LOOK_AT_RECORD = "approvals.look_at_record"
    KEY_REVOKED = "approvals.key_revoked"
    MEMBER_LEFT = "approvals.member_left"
    NOT_PROPOSABLE = "approvals.not_proposable"
    OPERATION_CHANGED = "approvals.operation_changed"
    OPERATION_UNKNOWN = "approvals.operation_unknown"
    OTHER_CREDENTIALS = "approvals.other_credentials"
    OUTCOME_UNKNOWN = "approvals.outcome_unknown"
    OWN = "approvals.own"
    PROPOSER_MAY_NOT = "approvals.proposer_may_not"
    PROPOSE_AGAIN = "approvals.propose_again"
    SUPERSEDED = "approvals.superseded"
    TOO_LARGE = "approvals.too_large"
    TOO_MANY = "approvals.too_many"
