"""Address and header by which an update that Telegram sends is known to come from Telegram.

Both are derived from one secret of the settings, so that neither of them tells the other.
"""

import hmac
from collections.abc import Mapping
from hashlib import sha256

from ledgerkit.core.messaging.messengers.messenger import WebhookReceiver
from ledgerkit.core.messaging.messengers.telegram import updates
from ledgerkit.settings import Settings

HEADER = "X-Telegram-Bot-Api-Secret-Token"
"""Header of every update (Bot API, setWebhook, `secret_token`)."""

_PATH_DIGITS = 32


def receiver(settings: Settings) -> WebhookReceiver | None:
    """Return the address of the webhook and its proof; None where the settings have no secret for it."""
    if settings.telegram_webhook_secret is None:
        return None
    secret = settings.telegram_webhook_secret.get_secret_value()
    return WebhookReceiver(
        path=webhook_path(secret),
        secret=secret,
        is_genuine=lambda headers: is_genuine(headers, secret),
        received=updates.received,
    )


def webhook_path(secret: str) -> str:
    """Return the last part of the webhook's address: 32 hexadecimal digits."""
    return _derived(secret, "ledgerkit telegram webhook: path")[:_PATH_DIGITS]


def webhook_header(secret: str) -> str:
    """Return the value of HEADER: 64 hexadecimal digits."""
    return _derived(secret, "ledgerkit telegram webhook: header")


def is_genuine(headers: Mapping[str, str], secret: str) -> bool:
    """Return True when the headers of a request hold the value that only Telegram knows."""
    values = [value for name, value in headers.items() if name.lower() == HEADER.lower()]
    return len(values) == 1 and hmac.compare_digest(values[0].encode(), webhook_header(secret).encode())


def _derived(secret: str, label: str) -> str:
    return hmac.new(secret.encode(), label.encode(), sha256).hexdigest()
