"""The person in whose name a mail leaves: whether they may mail others, and where answers to them go."""

from ledgerkit.core.platform.identity.accounts import members
from ledgerkit.core.platform.identity.persons import access as persons
from ledgerkit.core.platform.identity.persons.access import StoredUser
from ledgerkit.core.platform.mail.texts import MailMsg
from ledgerkit.core.platform.request.context import Context
from ledgerkit.problems import AddressUnverified


async def require_verified(ctx: Context) -> None:
    """Refuse to mail others for a person with an unverified address, if addresses must be verified.

    A team's key has no address: its owner's counts. Call it before anything is numbered or stored. Raises
    AddressUnverified.
    """
    if not ctx.settings.demands_verified_email:
        return
    person = await _person(ctx)
    if person is None or not person.email_verified:
        raise AddressUnverified(MailMsg.ADDRESS_UNVERIFIED)


async def reply_address(ctx: Context) -> str | None:
    """Return the address for answers: the company's, else that of whoever asks where it is proved or need not be."""
    if ctx.account.email:
        return ctx.account.email
    person = None if ctx.actor.user_id is None else await persons.by_id(ctx.kernel, ctx.actor.user_id)
    if person is None or (ctx.settings.demands_verified_email and not person.email_verified):
        return None
    return person.email


async def _person(ctx: Context) -> StoredUser | None:
    """Return the person who asks; for a team's key the team's owner."""
    user_id = ctx.actor.user_id
    if user_id is None:
        user_id = await members.owning_user(ctx.kernel, ctx.account.id)
    return None if user_id is None else await persons.by_id(ctx.kernel, user_id)
