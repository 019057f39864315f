"""Ids of the messages about approvals; their texts are in the catalogues."""

from ledgerkit.texts import MessageId


class ApprovalsMsg(MessageId):
    CHANGED = "approvals.changed"
    DECIDED = "approvals.decided"
    EXPIRED = "approvals.expired"
    LIMITS_NEED_TOTAL = "approvals.limits_need_total"
    LOOK_AGAIN = "approvals.look_again"
    NOT_PROPOSABLE = "approvals.not_proposable"
    OPERATION_UNKNOWN = "approvals.operation_unknown"
    PROPOSE_AGAIN = "approvals.propose_again"
    PROPOSED_BY_FORMER_MEMBER = "approvals.proposed_by_former_member"
    SUPERSEDED = "approvals.superseded"
    TOO_LARGE = "approvals.too_large"
