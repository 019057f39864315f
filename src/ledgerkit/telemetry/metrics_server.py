"""The page that Prometheus reads, on a port of its own and in threads of its own."""

import asyncio
import errno

from prometheus_client import start_http_server

from ledgerkit.settings import Settings
from ledgerkit.settings.messages import ServerMsg
from ledgerkit.settings.start_errors import Misconfigured, StartError, Unreachable


class MetricsServer:
    """Serves /metrics on `LEDGERKIT_METRICS_PORT`; does nothing without that setting.

    The page is written by a thread: a long one holds up no request of the API.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    async def start(self) -> None:
        """Serve the metrics. Raises StartError when the port cannot be had."""
        host, port = self._settings.metrics_host, self._settings.metrics_port
        if port is None:
            return
        if port == self._settings.port:
            raise Misconfigured(ServerMsg.METRICS_PORT_IS_PORT, port=port)
        try:
            self._server, self._thread = start_http_server(port, host)
        except OSError as error:
            raise _refused(error, host, port) from error

    async def stop(self) -> None:
        if self._settings.metrics_port is not None:
            await asyncio.to_thread(self._close)

    def _close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _refused(error: OSError, host: str, port: int) -> StartError:
    if error.errno == errno.EADDRINUSE:
        return Unreachable(ServerMsg.METRICS_PORT_TAKEN, port=port, host=host)
    return Misconfigured(ServerMsg.METRICS_PORT_UNUSABLE, port=port, host=host, error=error)
