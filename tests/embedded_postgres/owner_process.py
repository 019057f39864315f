"""A ledgerkit-like process to be killed: starts the server, commits one row, says its process ids, then waits.

Usage: owner_process.py DIRECTORY [UID GID]; with UID it becomes that ordinary user first.
"""

import asyncio
import concurrent.futures.thread  # noqa: F401 - imported while the files can still be read, before we lose root
import json
import logging
import os
import sys
from pathlib import Path

import asyncpg
import structlog

from ledgerkit.embedded_postgres import EmbeddedPostgres
from ledgerkit.texts import read_catalogues


async def main(directory: Path) -> None:
    server = EmbeddedPostgres(directory)  # durable: what is committed survives any kill
    await server.start()
    connection = await asyncpg.connect(server.dsn.replace("+asyncpg", ""), ssl=False)
    await connection.execute("CREATE TABLE note (words text)")
    await connection.execute("INSERT INTO note VALUES ('committed')")
    await connection.close()
    print(json.dumps({"uid": os.geteuid(), **server.describe()}), flush=True)  # noqa: T201 - the test reads it
    await asyncio.to_thread(sys.stdin.readline)
    await server.stop()


if len(sys.argv) > 2:
    read_catalogues()  # while the files can still be read
    os.setgroups([])
    os.setgid(int(sys.argv[3]))
    os.setuid(int(sys.argv[2]))
structlog.configure(
    wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
    logger_factory=structlog.PrintLoggerFactory(sys.stderr),
)
asyncio.run(main(Path(sys.argv[1])))
