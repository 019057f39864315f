"""The package as people get it: it carries the web app and shows it, and is not made without it."""

import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from support.processes import Program
from support.serving import served

ROOT = Path(__file__).parents[1]
DIST = ROOT / "src" / "ledgerkit" / "web" / "dist"
UV = Path(sys.executable).with_name("uv")

pytestmark = [
    pytest.mark.whole,
    pytest.mark.skipif(not (DIST / "index.html").is_file(), reason="the web app is not built here: make web"),
    pytest.mark.skipif(not UV.exists(), reason="uv is not in this environment: make setup"),
]


def uv(*words: str | Path, directory: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run uv without the network, and without what could lead it elsewhere."""
    return subprocess.run([UV, *words, "--offline"], cwd=directory, capture_output=True, text=True, check=False)


def build(directory: Path, target: Path) -> subprocess.CompletedProcess[str]:
    """Build an sdist, and a wheel out of it, with the locked packages of this environment."""
    return uv(
        "build", "--no-build-isolation", "--python", sys.executable, "--out-dir", target, ".", directory=directory
    )


def only(directory: Path, pattern: str) -> Path:
    (path,) = directory.glob(pattern)
    return path


@pytest.fixture(scope="module")
def packages(tmp_path_factory) -> Path:
    """A folder with the sdist, and the wheel that was built out of it, where no sources of the web app are."""
    directory = tmp_path_factory.mktemp("packages")
    building = build(ROOT, directory)
    assert building.returncode == 0, building.stderr
    return directory


def unpacked(packages: Path, directory: Path) -> Path:
    with tarfile.open(only(packages, "*.tar.gz")) as archive:
        archive.extractall(directory, filter="data")
    return only(directory, "ledgerkit_server-*")


def built_files() -> Iterator[tuple[str, bytes]]:
    for path in DIST.rglob("*"):
        if path.is_file():
            yield path.relative_to(DIST).as_posix(), path.read_bytes()


def test_wheel_carries_every_built_file_and_no_source_of_the_app(packages):
    with zipfile.ZipFile(only(packages, "*.whl")) as wheel:
        prefix = "ledgerkit/web/dist/"
        carried = {name.removeprefix(prefix): wheel.read(name) for name in wheel.namelist() if name.startswith(prefix)}
        names = wheel.namelist()

    assert carried == dict(built_files())
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"ledgerkit"}
    assert [name for name in names if name.endswith((".ts", ".tsx")) or "node_modules" in name] == []


def test_wheel_carries_the_page_of_the_views(packages):
    folder = ROOT / "src" / "ledgerkit" / "mcp_server" / "views" / "assets"
    with zipfile.ZipFile(only(packages, "*.whl")) as wheel:
        prefix = "ledgerkit/mcp_server/views/assets/"
        carried = {name.removeprefix(prefix): wheel.read(name) for name in wheel.namelist() if name.startswith(prefix)}

    assert carried == {path.name: path.read_bytes() for path in folder.iterdir()}
    assert "page.html" in carried


def test_sdist_has_no_source_of_the_app(packages, tmp_path):
    directory = unpacked(packages, tmp_path)

    assert (directory / "hatch_build.py").is_file()
    assert not (directory / "web").exists()


def test_no_package_is_made_without_the_app(packages, tmp_path):
    directory = unpacked(packages, tmp_path / "sources")
    shutil.rmtree(directory / "src" / "ledgerkit" / "web" / "dist")

    building = build(directory, tmp_path)

    assert building.returncode != 0
    assert "make web" in building.stderr
    assert list(tmp_path.glob("*.whl")) == []


def test_a_failed_build_of_the_app_ends_the_build_of_the_package(packages, tmp_path):
    directory = unpacked(packages, tmp_path / "sources")
    (directory / "web").mkdir()
    (directory / "web" / "package.json").touch()
    (directory / "scripts").mkdir()
    (directory / "scripts" / "web").write_text('echo "no Node.js here" >&2\nexit 1\n')

    building = build(directory, tmp_path)

    assert building.returncode != 0
    assert "no Node.js here" in building.stderr
    assert "make web" in building.stderr


def test_an_editable_install_builds_no_app(packages, tmp_path):
    """`make setup` installs the checkout so, without Node.js."""
    directory = unpacked(packages, tmp_path / "sources")
    shutil.rmtree(directory / "src" / "ledgerkit" / "web" / "dist")
    program = environment(tmp_path / "environment")

    installing = install(program, "--no-build-isolation", "--editable", directory)

    assert installing.returncode == 0, installing.stderr


def environment(directory: Path) -> Path:
    """The interpreter of a new environment that sees the locked packages of this one, but not ledgerkit."""
    creating = uv("venv", "--python", sys.executable, directory)
    assert creating.returncode == 0, creating.stderr
    [site_packages] = (directory / "lib").glob("python*/site-packages")
    # A folder named in a .pth file is searched, but its own .pth files, as that of our editable install, are not read.
    (site_packages / "locked.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return directory / "bin" / "python"


def install(program: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    return uv("pip", "install", "--python", program, "--no-deps", *words)


@pytest.fixture(scope="module")
def installed(packages, tmp_path_factory) -> Path:
    """The interpreter of an environment in which the wheel is installed."""
    program = environment(tmp_path_factory.mktemp("installed") / "environment")
    installing = install(program, only(packages, "*.whl"))
    assert installing.returncode == 0, installing.stderr
    return program


def command(program: Path) -> Program:
    """Starts the `ledgerkit` of an environment."""

    def start(words, environment, directory, out, err) -> subprocess.Popen[bytes]:
        directory.mkdir(exist_ok=True)
        with out.open("ab") as stdout, err.open("ab") as stderr:
            executable = program.with_name("ledgerkit")
            return subprocess.Popen([executable, *words], env=environment, cwd=directory, stdout=stdout, stderr=stderr)

    return start


def test_environment_runs_the_installed_package(installed, tmp_path):
    """Not the checkout, on whose files the locked packages' own environment works."""
    ask = [installed, "-c", "import ledgerkit; print(ledgerkit.__file__)"]
    answer = subprocess.run(ask, capture_output=True, text=True, check=True, cwd=tmp_path)

    assert Path(answer.stdout).is_relative_to(installed.parents[1])


async def test_installed_server_shows_the_app(installed, tmp_path):
    async with (
        served(tmp_path / "data", command(installed)) as server,
        httpx2.AsyncClient(base_url=server.url, timeout=60) as client,
    ):
        page = await client.get("/", headers={"Accept": "text/html"})
        asset = re.search(r'src="/(assets/[^"]+\.js)"', page.text).group(1)
        async with client.stream("GET", f"/{asset}", headers={"Accept-Encoding": "br"}) as answer:
            content = b"".join([part async for part in answer.aiter_raw()])

    assert (page.status_code, answer.status_code) == (200, 200)
    assert answer.headers["content-encoding"] == "br"
    assert "immutable" in answer.headers["cache-control"]
    assert content == (DIST / f"{asset}.br").read_bytes()
