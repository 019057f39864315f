"""Limits of confined processes, and their end with the call or with the server."""

import asyncio
import os
import select
import signal
import socket
import sys
from pathlib import Path
from uuid import uuid4

import psutil
import pytest
import strange_work

from ledgerkit.core.platform.confined import call
from ledgerkit.core.platform.confined.calls import CallFailedError, ConfinedCalls
from ledgerkit.core.platform.confined.process import ConfinedProcess, TimeLimitError
from ledgerkit.problems import Unavailable

HERE = Path(__file__).parent
SCRIPT = Path(sys.modules["ledgerkit.core.platform.confined.calls"].__file__).with_name("call.py")
HURRIED_SCRIPT = HERE / "hurried_call.py"
"""Script with a limit of two seconds of processor time, which alone ends a process that holds the interpreter."""

SERVER = f"""
import sys
from pathlib import Path
from ledgerkit.core.platform.confined.process import ConfinedProcess
process = ConfinedProcess(Path({str(HURRIED_SCRIPT)!r}), "strange_work", sys.argv[1])
process.await_ready(60)
print(process.pid, flush=True)
process.ask(b"100", 100)
"""

linux_only = pytest.mark.skipif(
    sys.platform != "linux", reason="watches processes by /proc and pidfd, which are Linux's"
)


@pytest.fixture(autouse=True)
def found(monkeypatch):
    """The processes import what the tests want done."""
    monkeypatch.setenv("PYTHONPATH", str(HERE))


@pytest.fixture
async def calls():
    calls = ConfinedCalls()
    yield calls
    await calls.stop()


async def result_of(calls, function, content=b""):
    return await calls.call(function, uuid4(), content)


async def test_a_call_returns_the_functions_result(calls):
    assert await result_of(calls, strange_work.upper, b"a" * 200_000) == b"A" * 200_000


async def test_every_call_has_its_own_process_which_ends_with_it(calls):
    first, second = [int(await result_of(calls, strange_work.pid)) for _ in range(2)]

    assert len({first, second, os.getpid()}) == 3
    for pid in (first, second):
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


async def test_a_call_that_holds_the_interpreter_is_killed():
    calls = ConfinedCalls(seconds=0.5)

    with pytest.raises(CallFailedError) as raised:
        await result_of(calls, strange_work.hold)

    await calls.stop()
    assert isinstance(raised.value.__cause__, TimeLimitError)


@pytest.mark.parametrize("function", [strange_work.explode, strange_work.die], ids=["memory", "death"])
async def test_a_call_that_crashes_its_process_fails(calls, function):
    with pytest.raises(CallFailedError):
        await result_of(calls, function)


async def test_the_text_of_an_exception_is_not_passed_on(calls, capfd):
    with pytest.raises(CallFailedError) as raised:
        await result_of(calls, strange_work.tell, b"hunter2")

    assert str(raised.value) == "ValueError"
    assert "hunter2" not in "".join(capfd.readouterr())


async def test_a_call_cannot_write_connect_or_start_programs(calls, tmp_path):
    target = tmp_path / "key"
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

        answers = [
            await result_of(calls, strange_work.write, str(target).encode()),
            await result_of(calls, strange_work.connect, str(port).encode()),
            await result_of(calls, strange_work.run),
            await result_of(calls, strange_work.core),
        ]

    assert answers == [b"OSError", b"refused", b"refused", b"(0, 0)"]
    assert not target.exists() or target.read_bytes() == b""


async def test_the_servers_secrets_are_not_in_the_environment(calls, monkeypatch):
    monkeypatch.setenv("LEDGERKIT_SECRET_KEY", "geheim")
    monkeypatch.setenv("OPENAI_API_KEY", "geheim")

    assert b"geheim" not in await result_of(calls, strange_work.environment)


async def test_too_many_calls_of_one_account_are_refused(calls):
    account = uuid4()
    tasks = [asyncio.create_task(calls.call(strange_work.sleep, account, b"1")) for _ in range(6)]

    results = await asyncio.gather(*tasks, return_exceptions=True)

    refused = [one for one in results if isinstance(one, Unavailable)]
    assert len(refused) == 2
    assert (refused[0].status, refused[0].code, refused[0].headers["Retry-After"]) == (503, "SERVER_BUSY", "5")
    assert results.count(b"slept") == 4


@pytest.mark.whole
@linux_only
@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("function", ["sleep", "hold"])
async def test_a_process_never_outlives_the_server(end, function):
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-c", SERVER, function, stdout=asyncio.subprocess.PIPE
    )
    pid = int(await server.stdout.readline())
    if function == "hold":
        await at_work(pid)

    watch = os.pidfd_open(pid)
    server.send_signal(end)
    await server.wait()

    ended, _, _ = await asyncio.to_thread(select.select, [watch], [], [], 300)
    os.close(watch)
    assert ended


async def at_work(pid: int) -> None:
    """Return when a process has calculated for a while: it has its request, and would not notice its input's end."""
    process = psutil.Process(pid)
    ready = process.cpu_times().user
    while process.cpu_times().user < ready + 0.2:  # noqa: ASYNC110 - it happens in another process
        await asyncio.sleep(0.01)


@linux_only
def test_a_process_has_a_lower_priority_than_the_server_and_twenty_seconds():
    process = ConfinedProcess(SCRIPT, "strange_work", "upper")
    try:
        process.await_ready(60)

        assert os.getpriority(os.PRIO_PROCESS, process.pid) > os.getpriority(os.PRIO_PROCESS, 0)
        assert psutil.Process(process.pid).rlimit(psutil.RLIMIT_CPU) == (call.LIMITS.cpu, call.LIMITS.cpu)
        assert call.LIMITS.cpu == 20
    finally:
        process.close()
