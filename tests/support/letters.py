"""The mails that a server has kept as files, and the links in them."""

import re
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import SMTP
from pathlib import Path


class Mailbox:
    """The mails that this server has kept as files, the oldest first."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def mails(self) -> list[EmailMessage]:
        files = sorted(self._directory.glob("*.eml"))
        return [BytesParser(EmailMessage, policy=SMTP).parsebytes(one.read_bytes()) for one in files]

    def to(self, email: str) -> list[EmailMessage]:
        return [one for one in self.mails() if one["To"] == email]

    def token(self, email: str, page: str = "join") -> str:
        """Token in the newest mail to an address."""
        return self.token_of(email, -1, page)

    def token_of(self, email: str, place: int, page: str = "join") -> str:
        text = self.to(email)[place].get_body(("plain",)).get_content()
        return re.search(rf"/{page}/([A-Za-z0-9_-]{{43}})\s", text)[1]
