"""/api/mail: test whether mail leaves this server."""

from ledgerkit.core.platform.mail.senders import trial
from ledgerkit.core.platform.mail.senders.trial import MailTried
from ledgerkit.routers.deps import Ctx
from ledgerkit.routers.routing import Router

router = Router(prefix="/api/mail", tags=["Mail"], about="Whether mail leaves this server.")


@router.post("/test", operation=trial.send_to_oneself, operation_id="testMail")
async def test_mail(ctx: Ctx) -> MailTried:
    """Mail a short test message to the user. API keys are refused here."""
    return await trial.send_to_oneself(ctx)
