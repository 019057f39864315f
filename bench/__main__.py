"""Costs of the server, against raw asyncpg and a bare FastAPI route, all measured in the same run.

A real PostgreSQL with fsync, the real `ledgerkit serve`, the load, the raw twin and the bare route each in a process
of its own. Every figure is the median of several short rounds, in which ours and what it is compared with alternate.
Missed targets are printed, and are no failure; the program fails only when something could not run.
"""

import argparse
import os
import signal
import socket
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import asyncpg
import psutil
import report
import uvloop
from database import Party, copied, issued, login_of, paid, registered, reporting, settle, split, varied, with_clients
from grown import APPROVALS, BILLS, EXPENSES, INVOICES, ITEMS, Kind, multiply
from process import HERE, BenchError, Child

from ledgerkit.core.platform.identity.logins.tokens import Tokens
from ledgerkit.embedded_postgres import running_urls
from ledgerkit.providers.es.verifactu.settings import DEMO_PRODUCER_TAX_ID
from ledgerkit.settings import Settings, secret_key

PARTS = ["issue", "sealing", "fiscal", "read", "lists", "ledger", "sizes", "ai", "pdf", "mcp", "chat"]
CONNECTIONS = 32
MANY = 100
SMALL, LARGE = 1_000, 100_000
SMALL_ACCOUNT = {INVOICES: 1_000, EXPENSES: 1_000, ITEMS: 1_000, APPROVALS: 100}
LARGE_ACCOUNT = {INVOICES: 100_000, EXPENSES: 50_000, ITEMS: 20_000, APPROVALS: 10_000}
LEDGER = {INVOICES: 20_000, EXPENSES: 5_000}
LARGE_AND_NEW = {INVOICES: 20_000, BILLS: 5_000}
NEW_ACCOUNTS = 200
FORMS = 20
"""VAT forms of a large account, after the new ones have used the connections."""
READERS = 8
WAITING = 20
"""Requests that wait for the model, while others are measured."""
TOGETHER = 8
BLOCKS = 10
"""Blocks of five sealed and five unsealed invoices of each issuer in a round, for each of its seconds."""
PDFS = 24
ASSISTANTS = 50
START_SECONDS = 60
PAUSE = 9999
QUESTION = "quién me debe"
"""Asked in a chat."""
SENDING_SECONDS = 600
WARM = 1.0
BEGIN = time.monotonic()
LOAD = os.getloadavg()[0]


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0, help="length of one round of one figure")
    parser.add_argument("--rounds", type=int, default=3, help="rounds, of which the median counts")
    parser.add_argument("--only", choices=PARTS, action="append", help="measure these parts only")
    parser.add_argument("--directory", type=Path, help="where the database lies while measuring")
    parser.add_argument("--issuers", type=int, default=200, help="issuers that emit at once")
    parser.add_argument("--documents", type=int, default=50, help="documents that each of them emits")
    parser.add_argument("--profile", type=Path, help="file for cProfile's figures of the server (which slow it down)")
    parser.add_argument("--statements", type=Path, help="file for the statements of one create+issue")
    return parser.parse_args()


class Bench:
    def __init__(self, given: argparse.Namespace, stack: ExitStack, data: Path) -> None:
        self._given, self._stack, self._data = given, stack, data
        self._rounds: dict[str, list[dict[str, Any]]] = defaultdict(list)
        self._parts = given.only or PARTS
        self.load = self._child("load.py")
        self.authority = self._child("authority.py", str(data / "authority"))
        self.access = self.authority.ask("start")
        self.model = self._child("model.py")
        self.model_url = self.model.ask("start")["url"]
        self.port, self.server = self._serve()
        self.bare_port, self.bare = self._process("bare.py")
        owner, app = running_urls(data / "postgres")
        self.url, self.app_url = (url.replace("postgresql+asyncpg", "postgresql") for url in (owner, app))
        self.memory: dict[str, float] = {}
        self.issue_statements: dict[str, Any] = {}
        self.seal_statements: dict[str, int] = {}
        self.crowd: dict[str, Any] = {}
        self.conditions = ""

    def run(self) -> dict[str, list[dict[str, Any]]]:
        key = self.load.ask("register", port=self.port)["key"]
        parts = {
            "issue": (self._issue, 2 * MANY + 3),
            "sealing": (self._sealing, 2 * TOGETHER),
            "fiscal": (self._fiscal, 2 * MANY + self._given.issuers),
            "read": (self._read, 2),
            "lists": (self._lists, 2),
            "ledger": (self._ledger, 1),
            "sizes": (self._sizes, NEW_ACCOUNTS + 1),
            "ai": (self._ai, 1),
            "pdf": (self._pdf, 1),
            "mcp": (self._mcp, ASSISTANTS),
            "chat": (self._chat, 1),
        }
        for part in self._parts:
            _say(f"{part}, {time.monotonic() - BEGIN:.0f} s after the start")
            measure, parties = parts[part]
            measure(uvloop.run(self._parties(key, parties)))
        self._weigh()
        self.conditions = uvloop.run(self._conditions())
        return self._rounds

    # ------------------------------------------------------------ parts

    def _issue(self, parties: list[Party]) -> None:
        self.load.ask("make", port=self.port, keys=[party.key for party in parties])
        one, raw_one, many, raw_many, model = split(uvloop.run(self._with_clients(parties)), 1, 1, MANY, MANY, 1)
        twin = self._child("raw.py", self.url, self.app_url)
        secret = secret_key(self._settings()).decode()
        self.issue_statements = twin.ask(
            "prepare", account=model[0], secret=secret, pool=self._settings().database_pool
        )
        if self._given.statements:
            self._given.statements.write_text("\n".join(self.issue_statements["texts"]) + "\n")
        pairs = (("1 account", one, raw_one), ("100 accounts", many, raw_many))
        for name, ours, theirs in pairs:
            self._ours(f"warm {name}", "issue", keys=[p["key"] for p in ours], connections=CONNECTIONS, seconds=WARM)
            self._theirs(f"warm raw {name}", twin, theirs, WARM)
        for _ in range(self._given.rounds):
            for name, ours, theirs in pairs:
                self._ours(name, "issue", keys=[p["key"] for p in ours], connections=CONNECTIONS)
                self._theirs(f"raw {name}", twin, theirs, self._given.seconds)
            keys = [p["key"] for p in one]
            for connections in (1, 8, CONNECTIONS, CONNECTIONS, 8):  # side by side: the machine's speed drifts
                self._ours(f"1 account, {connections}", "issue", keys=keys, connections=connections)
        uvloop.run(self._check_issued("raw 1 account", raw_one))
        uvloop.run(self._check_issued("raw 100 accounts", raw_many))

    def _theirs(self, name: str, twin: Child, accounts: list[dict[str, str]], seconds: float) -> None:
        self._timed(
            name,
            psutil.Process(twin.pid),
            lambda: twin.ask("issue", accounts=accounts, connections=CONNECTIONS, seconds=seconds),
        )

    def _sealing(self, parties: list[Party]) -> None:
        """Invoices that are sealed against ones that are stored with as much, in a process of its own."""
        uvloop.run(self._reporting(parties))
        pair = self._child("sealing.py")
        accounts = [str(party.account_id) for party in parties]
        self.seal_statements = pair.ask("prepare", environment=self._environment(), accounts=accounts)
        blocks = round(BLOCKS * self._given.seconds)
        for _ in range(self._given.rounds):
            for accounts in (1, TOGETHER):
                found = pair.ask("measure", accounts=accounts, blocks=blocks)
                for kind, figures in found.items():
                    _say(f"  {kind}, {accounts}: {figures['done'] / figures['seconds']:.1f} a second")
                    self._rounds[f"{kind}, {accounts}"].append(figures)
        if self._given.profile:
            pair.ask("profile", turns=200, file=str(self._given.profile.resolve().with_suffix(".sealing.txt")))

    def _fiscal(self, parties: list[Party]) -> None:
        """Issuing with and without a sealed record, while nothing is sent; then everything by many issuers at once.

        Where e-invoicing is off, invoices have no records.
        """
        plain, *reporting = split(parties, MANY, MANY, self._given.issuers)
        uvloop.run(self._reporting([party for some in reporting for party in some]))
        silent, few, many = ([party.key for party in some] for some in (plain, *reporting))
        self.authority.ask("pace", seconds=PAUSE)
        for name, kind, keys in (("warm issued", "issue", silent), ("warm emitted", "emit", few)):
            self._ours(name, kind, keys=keys, connections=CONNECTIONS, seconds=2 * WARM)
        for _ in range(self._given.rounds):
            self._ours("issued", "issue", keys=silent, connections=CONNECTIONS)
            self._ours("emitted", "emit", keys=few, connections=CONNECTIONS)
        self.authority.ask("pace", seconds=0)
        times = self._given.documents
        self._ours("crowd", "emit", keys=many, connections=CONNECTIONS, seconds=None, times=times)
        self.crowd = {"issuers": len(many), "documents": times, **self._sent(len(many) * times)}

    def _sent(self, records: int) -> dict[str, Any]:
        """Counts of the authority once all records have arrived. Raises BenchError when they do not."""
        deadline = time.monotonic() + SENDING_SECONDS
        while (seen := self.authority.ask("progress"))["records"] < records:
            if time.monotonic() > deadline:
                raise BenchError(f"the authority has heard {seen['records']} of {records} records")
            time.sleep(0.5)
        return seen

    def _read(self, parties: list[Party]) -> None:
        small, large = parties[0], parties[1]
        ids = self.load.ask("make", port=self.port, keys=[small.key, large.key])["ids"]
        uvloop.run(self._fill({small: {INVOICES: SMALL}, large: {INVOICES: LARGE}}))
        lists = "/api/invoices?limit=50"
        for _ in range(self._given.rounds):
            self._got("bare route", self.bare_port, ["/"], None)
            self._got("list of 1,000", self.port, [lists], small.key)
            self._got("list of 100,000", self.port, [lists], large.key)
            self._got("one invoice", self.port, [f"/api/invoices/{ids[1]}"], large.key)

    def _lists(self, parties: list[Party]) -> None:
        """Each list, search and overview of a small account and of a large one, in turn."""
        keys = [party.key for party in parties[:2]]
        self.load.ask("make", port=self.port, keys=keys)
        self.load.ask("buy", port=self.port, keys=keys)
        uvloop.run(self._fill(dict(zip(parties[:2], (SMALL_ACCOUNT, LARGE_ACCOUNT), strict=True))))
        for _ in range(self._given.rounds):
            for name, path in report.GROWING.items():
                for size, key in zip(report.SIZES, keys, strict=True):
                    seconds = self._given.seconds / 4
                    job = {"paths": [path], "key": key, "connections": 1, "seconds": seconds}
                    self._ours(f"{name}, {size}", "get", **job)

    def _ledger(self, parties: list[Party]) -> None:
        """The ledger of a busy quarter's documents, by the server's code and by raw asyncpg in turn."""
        party = parties[0]
        self.load.ask("make", port=self.port, keys=[party.key])
        self.load.ask("buy", port=self.port, keys=[party.key])
        uvloop.run(self._fill({party: LEDGER}, "quarter"))
        uvloop.run(self._pay(party))
        reader = self._child("ledgers.py")
        known = reader.ask("prepare", environment=self._environment(), account=party.account_id, url=self.app_url)
        self.memory[f"a ledger of {known['documents']:,} documents"] = known["size"]
        self.memory["generating its VAT form, at most"] = known["generating"]
        for _ in range(self._given.rounds):
            for name, figures in reader.ask("measure", seconds=self._given.seconds).items():
                _say(f"  {name}: {figures['done'] / figures['seconds']:.2f} a second")
                self._rounds[name].append(figures)

    def _sizes(self, parties: list[Party]) -> None:
        """The VAT form of a large account on the connections that new accounts have used before, and theirs again.

        The large account is unknown to PostgreSQL's statistics at first, as after an import; then it is known.
        """
        large, new = parties[0], [party.key for party in parties[1:]]
        for name, times in (("after an import", 1), ("", FORMS)):
            self._ours(f"forms of new accounts {name}".strip(), "declare", keys=new, connections=READERS, seconds=None)
            if name:
                self.load.ask("make", port=self.port, keys=[large.key])
                self.load.ask("owe", port=self.port, keys=[large.key])
                uvloop.run(self._fill({large: LARGE_AND_NEW}, "quarter", known=False))
            else:
                uvloop.run(self._fill({}))
            self._ours(f"large form {name}".strip(), "declare", keys=[large.key] * times, connections=1, seconds=None)
        self._ours("forms of new accounts, later", "declare", keys=new, connections=READERS, seconds=None)

    def _ai(self, parties: list[Party]) -> None:
        """A plain GET, alone and beside requests that wait for a slow model. Raises BenchError when fewer wait."""
        key = parties[0].key
        [invoice] = self.load.ask("make", port=self.port, keys=[key])["ids"]
        job = {"paths": [f"/api/invoices/{invoice}"], "key": key, "connections": 1}
        self._ours("warm alone", "get", **job)
        for _ in range(self._given.rounds):
            self._ours("alone", "get", **job)
            self.load.ask("wait", port=self.port, key=key, connections=WAITING)
            if (waiting := self.model.ask("waiting", wanted=WAITING)["waiting"]) < WAITING:
                self.load.ask("stop_waiting")
                raise BenchError(f"{waiting} of {WAITING} requests wait for the model")
            self._ours("beside a model", "get", **job)
            self.load.ask("stop_waiting")
            self.model.ask("rest")

    def _got(self, name: str, port: int, paths: list[str], key: str | None) -> None:
        self._ours(name, "get", port=port, paths=paths, key=key, connections=READERS)

    def _pdf(self, parties: list[Party]) -> None:
        key = parties[0].key
        ids = self.load.ask("make", port=self.port, keys=[key] * (PDFS + 2))["ids"]
        paths = [f"/api/invoices/{one}/pdf" for one in ids]
        self._ours("warm pdf", "get", paths=paths[:2], key=key, connections=1, seconds=None)
        self._ours("pdf", "get", paths=paths[2:], key=key, connections=1, seconds=None)
        self._got("cached pdf", self.port, paths[2:], key)

    def _mcp(self, parties: list[Party]) -> None:
        """Reading and writing by REST and by a tool, in turn; then many assistants at once, each with its own team."""
        keys = [party.key for party in parties]
        ids = self.load.ask("make", port=self.port, keys=keys)["ids"]
        uvloop.run(self._fill({parties[0]: {INVOICES: SMALL}}))
        key, login = keys[0], login_of(parties[0], Tokens(secret_key(self._settings())))
        by_tool = {"keys": [key], "connections": READERS}
        for _ in range(self._given.rounds):
            self._got("get by REST", self.port, [f"/api/invoices/{ids[0]}"], key)
            self._ours("get by a tool", "call", tool="get_invoice", arguments={"id": ids[0]}, **by_tool)
            self._got("list by REST", self.port, ["/api/invoices?limit=20"], key)
            self._ours("list by a tool", "call", tool="list_invoices", arguments={}, **by_tool)
            self._ours("draft by REST", "draft", key=key, connections=READERS)
            self._ours("draft by a tool", "call", tool="create_invoice", **by_tool)
            self._ours("draft by a proposal", "propose", key=key, login=login, connections=READERS)
            self._ours("assistants", "call", tool="list_invoices", arguments={}, keys=keys, connections=ASSISTANTS)

    def _chat(self, _: list[Party]) -> None:
        """Questions and invoices in a chat, by a server of its own with the sandbox authority and a fake Bot API."""
        person = self._child("chat.py")
        bot = person.ask("start")
        wanted = {
            "LEDGERKIT_DATA_DIR": str(self._data / "chat"),
            "LEDGERKIT_EINVOICE_ENV": "sandbox",
            "LEDGERKIT_EINVOICE_WAIT": "5",
            "LEDGERKIT_TELEGRAM_TOKEN": bot["token"],
            "LEDGERKIT_TELEGRAM_API_BASE": bot["base"],
        }
        port, server = self._process("-m", "ledgerkit.cli", "serve", settings=wanted)
        linked = person.ask("link", port=port)
        key = linked["key"]
        asker = self._child("turns.py")
        asker.ask("prepare", environment={**self._environment(), **wanted}, sender=linked["sender"], words=QUESTION)
        owed = {"paths": ["/api/reports/receivables/invoices"], "key": key, "connections": 1, "port": port}
        seconds = self._given.seconds
        for _ in range(self._given.rounds):
            self._timed("owed by REST", server, lambda: self.load.ask("get", seconds=seconds, **owed))
            turns = asker.ask("measure", seconds=seconds)
            _say(f"  owed, the turn alone: {turns['done'] / turns['seconds']:.1f} a second")
            self._rounds["owed, the turn alone"].append(turns)
            self._timed("owed in a chat", server, lambda: person.ask("answers", seconds=seconds, words=QUESTION))
            self._timed("accepted in a chat", server, lambda: person.ask("accepted", seconds=seconds))

    def _ours(self, name: str, kind: str, **job: Any) -> None:
        seen = {"seconds": self._given.seconds, "port": self.port, **job}
        process = self.bare if seen["port"] == self.bare_port else self.server
        self._timed(name, process, lambda: self.load.ask(kind, **seen))

    def _timed(self, name: str, process: psutil.Process, job: Callable[[], dict[str, Any]]) -> None:
        """Do the job and keep its figures, with the CPU that `process` spent on each turn, in milliseconds."""
        before = _cpu(process)
        answer = job()
        _say(f"  {name}: {answer['done'] / answer['seconds']:.1f} a second")
        self._rounds[name].append({**answer, "cpu": 1000 * (_cpu(process) - before) / answer["done"]})

    # ------------------------------------------------------------ the database

    async def _parties(self, key: str, number: int) -> list[Party]:
        db = await asyncpg.connect(self.url)
        made = await copied(db, await registered(db, key), Tokens(secret_key(self._settings())), number)
        await db.close()
        return made

    async def _with_clients(self, parties: list[Party]) -> list[dict[str, str]]:
        db = await asyncpg.connect(self.url)
        found = await with_clients(db, parties)
        await db.close()
        return found

    async def _reporting(self, parties: list[Party]) -> None:
        db = await asyncpg.connect(self.url)
        await reporting(db, parties)
        await db.close()

    async def _check_issued(self, name: str, accounts: list[dict[str, str]]) -> None:
        """The raw twin really did what it counted. Raises BenchError otherwise."""
        done = sum(answer["done"] for kind in (f"warm {name}", name) for answer in self._rounds[kind])
        db = await asyncpg.connect(self.url)
        found = await issued(db, [one["account_id"] for one in accounts])
        await db.close()
        if found != done + len(accounts):
            raise BenchError(f"{name}: {done} were done, {found - len(accounts)} are there")

    async def _conditions(self) -> str:
        db = await asyncpg.connect(self.url)
        names = ("server_version", "fsync", "synchronous_commit")
        found = [f"{name} {await db.fetchval(f'show {name}')}" for name in names]
        await db.close()
        return f"PostgreSQL: {', '.join(found)}. {os.cpu_count()} CPUs, load at the start {LOAD:.1f}."

    async def _fill(self, sizes: dict[Party, dict[Kind, int]], span: str = "year", *, known: bool = True) -> None:
        """Let accounts grow; `known`: PostgreSQL's statistics are renewed afterwards."""
        db = await asyncpg.connect(self.url)
        for party, wanted in sizes.items():
            for kind, number in wanted.items():
                await multiply(db, party, kind, number, span)
        if known:
            await settle(db)
        await db.close()

    async def _pay(self, party: Party) -> None:
        db = await asyncpg.connect(self.url)
        await varied(db, party)
        await paid(db, party)
        await settle(db)
        await db.close()

    # ------------------------------------------------------------ processes

    def _settings(self) -> Settings:
        return Settings(_env_file=None, data_dir=self._data)

    def _serve(self) -> tuple[int, psutil.Process]:
        if self._given.profile:
            return self._process("served.py", str(self._given.profile.resolve()))
        return self._process("-m", "ledgerkit.cli", "serve")

    def _process(self, *command: str, settings: Mapping[str, str] | None = None) -> tuple[int, psutil.Process]:
        """A server as a process of its own, once it answers. Raises BenchError with the end of its log."""
        port = _free_port()
        words = list(command) if command[0] == "-m" else [str(HERE / command[0]), *command[1:]]
        words += [str(port)] if command[0] == "bare.py" else []
        own = {**self._environment(), **(settings or {}), "LEDGERKIT_PORT": str(port)}
        rest = {name: value for name, value in os.environ.items() if not name.startswith("LEDGERKIT_")}
        log = self._data / f"{port}.log"
        with log.open("w") as out:
            started = subprocess.Popen([sys.executable, *words], env=rest | own, stdout=out, stderr=out, cwd=self._data)
        self._stack.callback(_end, started)
        _await_answer(port, started, log)
        return port, psutil.Process(started.pid)

    def _environment(self) -> dict[str, str]:
        return {
            "LEDGERKIT_DATA_DIR": str(self._data),
            "LEDGERKIT_RATE_LIMIT": "off",
            "LEDGERKIT_CONNECTIONS_PER_ADDRESS": "10000",
            "LEDGERKIT_EINVOICE_ENV": "test",
            "LEDGERKIT_EINVOICE_WAIT": "0",
            "LEDGERKIT_AI_BASE_URL": self.model_url,
            "LEDGERKIT_AI_MONTHLY_ACTIONS": "-1",
            "LEDGERKIT_AI_MAX_CALLS": str(WAITING),
            "LEDGERKIT_VERIFACTU_URL": self.access["url"],
            "LEDGERKIT_VERIFACTU_CA_FILE": self.access["ca"],
            "LEDGERKIT_VERIFACTU_CERT_FILE": self.access["certificate"],
            "LEDGERKIT_VERIFACTU_PRODUCER_NAME": "Productora",
            "LEDGERKIT_VERIFACTU_PRODUCER_TAX_ID": DEMO_PRODUCER_TAX_ID,
        }

    def _child(self, *command: str) -> Child:
        child = Child(*command)
        self._stack.callback(child.close)
        return child

    def _weigh(self) -> None:
        """Memory at the end of the run, MiB resident: the server, and what it started (PostgreSQL left out)."""
        self.memory["server"] = self.server.memory_info().rss / 2**20
        for child in self.server.children():
            if "postgres" not in child.name():
                name = "its PDF process"
                self.memory[name] = max(self.memory.get(name, 0), child.memory_info().rss / 2**20)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _cpu(process: psutil.Process) -> float:
    """Seconds of CPU so far, its children not counted."""
    times = process.cpu_times()
    return times.user + times.system


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def _await_answer(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    path = "/" if "bare" in str(process.args) else "/ready"
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            urlopen(f"http://127.0.0.1:{port}{path}", timeout=5).close()
        except URLError:
            time.sleep(0.1)
        else:
            return
    raise BenchError(f"{process.args} did not come up:\n" + "\n".join(log.read_text().splitlines()[-20:]))


def _end(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGTERM)
    process.wait(timeout=60)


@contextmanager
def bench(given: argparse.Namespace) -> Iterator[Bench]:
    with ExitStack() as stack:
        data = Path(stack.enter_context(TemporaryDirectory(prefix="ledgerkit-bench-", dir=given.directory)))
        yield Bench(given, stack, data)


def main() -> None:
    given = options()
    try:
        with bench(given) as one:
            rounds = one.run()
    except BenchError as error:
        sys.exit(f"make bench could not run: {error}")
    figures = {name: {k: median(r[k] for r in found if k in r) for k in found[0]} for name, found in rounds.items()}
    for name, figure in figures.items():
        figure["rate"] = median(r["done"] / r["seconds"] for r in rounds[name])
    report.show(
        figures, report.Findings(one.memory, one.issue_statements, one.seal_statements, one.crowd, one.conditions)
    )
    print(f"{time.monotonic() - BEGIN:.0f} s in all.")


if __name__ == "__main__":
    main()
