"""The table of roles as people see it is the one that guards."""

from ledgerkit.core.platform.request.permissions import ROLE_PERMISSIONS, Role


async def test_every_role_is_shown_with_what_guards_it(ana):
    shown = await ana.get("/api/teams/roles")

    assert {one["role"]: set(one["permissions"]) for one in shown} == {
        role.value: {str(permission) for permission in permissions} for role, permissions in ROLE_PERMISSIONS.items()
    }
    assert [one["role"] for one in shown if not one["assignable"]] == [Role.OWNER]
