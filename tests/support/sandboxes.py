"""Certificates of the sandbox, made once a process: its RSA key alone takes a twentieth of a second each time."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from ledgerkit import clock
from ledgerkit.providers.es.sandbox import certificates
from ledgerkit.settings import EInvoiceEnvironment, Settings, private_files


@cache
def _contents() -> dict[str, tuple[bytes, int]]:
    """Content and mode of each file, by its name."""
    with TemporaryDirectory() as directory:
        certificates.ensure(Path(directory), "127.0.0.1", clock.now())
        return {file.name: (file.read_bytes(), file.stat().st_mode & 0o777) for file in Path(directory).iterdir()}


def certified(directory: Path) -> Path:
    """Return the directory, in which a sandbox now finds certificates, as on its second start."""
    private_files.make_directory(directory)
    for name, (content, mode) in _contents().items():
        file = directory / name
        file.write_bytes(content)
        file.chmod(mode)
    return directory


def certify(settings: Settings) -> None:
    """Let the sandbox of a server with these settings find certificates, if it is to have one."""
    if settings.einvoice_env is EInvoiceEnvironment.SANDBOX:
        certified(settings.data_dir / "sandbox" / "es")
