import re
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import SMTP
from pathlib import Path

import pytest

from ledgerkit.settings import Settings
from support.api import Api


class Mailbox:
    """The mails that this server has kept as files, the oldest first."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def mails(self) -> list[EmailMessage]:
        files = sorted(self._directory.glob("*.eml"))
        return [BytesParser(EmailMessage, policy=SMTP).parsebytes(one.read_bytes()) for one in files]

    def to(self, email: str) -> list[EmailMessage]:
        return [one for one in self.mails() if one["To"] == email]

    def token(self, email: str) -> str:
        """Of the newest mail to an address."""
        return self.token_of(email, -1)

    def token_of(self, email: str, place: int) -> str:
        text = self.to(email)[place].get_body(("plain",)).get_content()
        return re.search(r"/join/([A-Za-z0-9_-]{43})\s", text)[1]


@pytest.fixture
def mailbox(settings: Settings) -> Mailbox:
    return Mailbox(settings.data_dir / "mail")


@pytest.fixture
def member(ana, client):
    """Makes somebody a member of ana's team, at work in it: `await member("rosa@example.com", "viewer")`."""

    async def make(email: str = "rosa@example.com", role: str = "member") -> Api:
        made = await Api.register(client, email)
        invited = await ana.post("/api/teams/current/invite", {"email": email, "role": role})
        made.team = {"memberId": invited["member"]["id"], "userId": invited["member"]["userId"]}
        await made.post(f"/api/teams/switch/{ana.team['id']}")
        return made

    return make
