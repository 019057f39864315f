"""Ids of the messages about approvals; their texts are in the catalogues."""

from ledgerkit.texts import MessageId


class ApprovalsMsg(MessageId):
    CHANGED = "approvals.changed"
    DECIDED = "approvals.decided"
    EXPIRED = "approvals.expired"
    IDLE = "approvals.idle"
    LIMITS_NEED_TOTAL = "approvals.limits_need_total"
    LOOK_AGAIN = "approvals.look_again"
    LOOK_AT_RECORD = "approvals.look_at_record"
    NOT_PROPOSABLE = "approvals.not_proposable"
    OPERATION_UNKNOWN = "approvals.operation_unknown"
    OUTCOME_UNKNOWN = "approvals.outcome_unknown"
    PROPOSE_AGAIN = "approvals.propose_again"
    SUPERSEDED = "approvals.superseded"
    TOO_LARGE = "approvals.too_large"
    TOO_MANY = "approvals.too_many"
