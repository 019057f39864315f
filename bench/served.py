"""`ledgerkit serve` under cProfile, from the moment it is up: for `make bench ARGS=--profile`."""

import cProfile
import pstats
import sys
from pathlib import Path

import uvicorn

from ledgerkit.app import create_app
from ledgerkit.settings import Settings
from ledgerkit.telemetry import logs

LINES = 60


class Profiled(uvicorn.Server):
    """Counts from the end of its start to the beginning of its end, and writes down what it counted."""

    def __init__(self, config: uvicorn.Config, target: Path) -> None:
        super().__init__(config)
        self._target = target
        self._profile = cProfile.Profile()

    async def startup(self, sockets=None) -> None:
        await super().startup(sockets)
        self._profile.enable()

    async def shutdown(self, sockets=None) -> None:
        self._profile.disable()
        self._profile.dump_stats(self._target)
        with self._target.with_suffix(".txt").open("w") as out:
            stats = pstats.Stats(self._profile, stream=out)
            for order in ("tottime", "cumulative"):
                stats.sort_stats(order).print_stats(LINES)
        await super().shutdown(sockets)


def main(target: Path) -> None:
    settings = Settings()
    logs.configure(settings)
    config = uvicorn.Config(
        create_app(settings),
        host=settings.host,
        port=settings.port,
        log_config=None,
        access_log=False,
        server_header=False,
    )
    Profiled(config, target).run()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
