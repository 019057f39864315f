"""Messengers that are set up on this server, each with its bot."""

import hmac
from collections.abc import Mapping

from ledgerkit.core.messaging.messengers.installed import installed
from ledgerkit.core.messaging.messengers.messenger import Messenger, MessengerPlugin, WebhookReceiver
from ledgerkit.core.platform.request.previews import DryRun
from ledgerkit.settings import Settings


class Bots:
    """Messengers that the settings ask for, by name: a service of the running process."""

    def __init__(self, settings: Settings, plugins: Mapping[str, MessengerPlugin] | None = None) -> None:
        available = installed() if plugins is None else plugins
        created = {name: plugin.create(settings) for name, plugin in available.items()}
        self.messengers: Mapping[str, Messenger] = {
            name: messenger for name, messenger in created.items() if messenger is not None
        }
        self.receivers: Mapping[str, WebhookReceiver] = {
            name: receiver for name in self.messengers if (receiver := available[name].receiver(settings)) is not None
        }
        self.plugins = {name: available[name] for name in self.messengers}
        self._titles = {name: plugin.title for name, plugin in available.items()}

    def in_dry_run(self, _: DryRun) -> "Bots":
        """Return itself: operations only read from it."""
        return self

    def genuine(self, name: str, path: str, headers: Mapping[str, str]) -> WebhookReceiver | None:
        """Return where an update is brought to, if its path and its headers prove that the messenger brings it."""
        receiver = self.receivers.get(name)
        if receiver is None or not hmac.compare_digest(path.encode(), receiver.path.encode()):
            return None
        return receiver if receiver.is_genuine(headers) else None

    def title_of(self, name: str) -> str:
        """Return the name of a messenger as people write it, also of one that is not set up any more."""
        return self._titles.get(name, name.capitalize())

    async def stop(self) -> None:
        for messenger in self.messengers.values():
            await messenger.close()
