"""Failures of the Bot API, as errors of the port.

Source: Bot API, "Making requests"; the descriptions are those of the server that Telegram publishes
(tdlib/telegram-bot-api, May 2026).
"""

from collections.abc import Mapping

from ledgerkit.core.messaging.messengers.messenger import (
    BlockedError,
    MessengerError,
    OtherPollerError,
    RejectedError,
    TokenError,
    UnreachableError,
    WaitError,
)

USUAL_WAIT = 5
"""Seconds to wait where Telegram asks to wait and does not say for how long."""
_LONGEST_WAIT = 3600
_LONGEST_DESCRIPTION = 200

_CHAT_IS_GONE = (
    "chat not found",
    "user not found",
    "peer_id_invalid",
    "group chat was deactivated",
    "group chat was upgraded",
    "not enough rights to send",
    "have no rights to send",
)
"""Descriptions of code 400 that mean a chat to which nothing can be sent any more."""


class RejectedCallError(RejectedError):
    """Telegram has refused a call; `description` are its words."""

    def __init__(self, method: str, description: str) -> None:
        super().__init__(f"{method}: {description}")
        self.description = description

    def says(self, *words: str) -> bool:
        """Return True when the description holds one of the phrases, which are in small letters."""
        return any(phrase in self.description.lower() for phrase in words)


class WebhookSetError(OtherPollerError):
    """Updates cannot be fetched while a webhook is set."""


def failure_of(method: str, status: int, answer: Mapping[str, object] | None) -> MessengerError:
    """Return the error that an answer stands for; `answer` is None where the body is not one of the Bot API."""
    if answer is None or answer.get("ok") is not False:
        return _foreign(method, status)
    code = answer.get("error_code")
    code = code if type(code) is int else status
    description = _one_line(answer.get("description"))
    summary = f"{method}: {code} {description}"
    if code == 429:
        return WaitError(_wait(answer))
    if code == 400:
        return _bad_request(method, description)
    if code == 409:
        return (WebhookSetError if "webhook is active" in description else OtherPollerError)(summary)
    if 400 <= code < 500 and code not in _KINDS:
        return RejectedCallError(method, description)
    return _KINDS.get(code, UnreachableError)(summary)


_KINDS: Mapping[int, type[MessengerError]] = {401: TokenError, 403: BlockedError, 404: TokenError}
"""A token of another form than theirs has no address: 404. So has a method that they do not know."""


def _foreign(method: str, status: int) -> MessengerError:
    """Return the error for an answer that does not come from a Bot API, but from a proxy on the way or a web site."""
    if status == 413:
        return RejectedCallError(method, "the request is too large")
    return UnreachableError(f"{method}: HTTP {status} without an answer of the Bot API")


def _bad_request(method: str, description: str) -> MessengerError:
    failure = RejectedCallError(method, description)
    return BlockedError(str(failure)) if failure.says(*_CHAT_IS_GONE) else failure


def _wait(answer: Mapping[str, object]) -> int:
    """Return the seconds of `retry_after`, an hour at most."""
    parameters = answer.get("parameters")
    seconds = parameters.get("retry_after") if isinstance(parameters, Mapping) else None
    return max(1, min(seconds, _LONGEST_WAIT)) if type(seconds) is int else USUAL_WAIT


def _one_line(description: object) -> str:
    words = description if isinstance(description, str) else ""
    return "".join(sign if sign.isprintable() else " " for sign in words[:_LONGEST_DESCRIPTION])
