"""Ids of the messages about tasks; their texts are in the catalogues."""

from ledgerkit.texts import MessageId


class TasksMsg(MessageId):
    NOT_A_MEMBER = "tasks.not_a_member"
    ONLY_YOURSELF = "tasks.only_yourself"
    NOT_IN_REVIEW = "tasks.not_in_review"
