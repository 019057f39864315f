"""Every permission is in one scope, and the scopes mean what the consent page says."""

from ledgerkit.core.platform.request.operation import OPERATIONS, Effect
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.platform.request.scopes import Scope, permissions_of, scope_of, scopes_named, scopes_within
from support.routes import served

IN_NONE = {Permission.LOGIN, Permission.TEAM_KEY}
"""Left to persons: credentials that could get these would get everything."""


def test_every_permission_but_those_of_persons_is_in_exactly_one_scope():
    for permission in Permission:
        scopes = [scope for scope in Scope if permission in scope.permissions]
        assert len(scopes) == (permission not in IN_NONE), permission
        assert scope_of(permission) is (scopes[0] if scopes else None)


def test_reading_and_writing_neither_seal_nor_file_nor_change_the_team():
    granted = permissions_of({Scope.READ, Scope.WRITE})
    assert granted.isdisjoint(Scope.FISCAL.permissions | Scope.TEAM.permissions)
    assert {Permission.EINVOICE_EMIT, Permission.DECLARATIONS_SUBMIT} <= Scope.FISCAL.permissions
    assert {Permission.TEAM_WRITE} == Scope.TEAM.permissions


def test_no_scopes_cover_nothing():
    assert permissions_of(()) == frozenset()


def test_scopes_are_known_by_their_names_and_by_what_they_cover():
    assert scopes_named(["team", "read", "unknown"]) == [Scope.READ, Scope.TEAM]
    assert scopes_within(permissions_of([Scope.FISCAL, Scope.READ])) == [Scope.READ, Scope.FISCAL]
    assert scopes_within(Permission) == list(Scope)
    assert scopes_within([Permission.ACCOUNT]) == []


WRITES_UNDER_READ = {
    "teams.create": "refuses credentials of one account, as scoped ones are",
    "teams.switch": "stays in the account of such credentials",
    "teams.members.remove_member": "asks for the scope `team` itself",
    "messaging.use_code": "links the chat of whom the code names",
    "messaging.leave": "unlinks the chat that it is said in",
    "messaging.set_quiet": "is about the chats of the person who says so in one",
    "messaging.set_digest": "is about the chats of the person who says so in one",
    "einvoice.producer_statement.declaration": "keeps what it shows",
    "einvoice.inspection.overview": "a verification is recorded, as the law demands",
    "einvoice.inspection.verify": "is recorded, as the law demands",
    "einvoice.inspection.export": "is recorded, as the law demands",
}


def test_what_the_scope_read_covers_only_reads():
    served()  # imports every operation
    writing = {
        operation.name
        for operation in OPERATIONS.values()
        if operation.permission in Scope.READ.permissions - {Permission.PUBLIC}
        and Effect.READ_ONLY not in operation.effects
    }

    assert writing == WRITES_UNDER_READ.keys()
