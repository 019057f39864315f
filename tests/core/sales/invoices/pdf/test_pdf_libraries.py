"""System requirements of PDFs: detected, named, and installed by one command."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from ledgerkit.core.sales.invoices.pdf import libraries, missing_requirements
from ledgerkit.core.sales.invoices.pdf.printer import template_version

ROOT = Path(__file__).parents[5]

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="other systems bring their fonts")


@pytest.fixture
def fonts(tmp_path, monkeypatch) -> Path:
    """The only directory of fonts, and empty."""
    monkeypatch.setattr(libraries, "FONTS", (tmp_path,))
    return tmp_path


def test_the_image_installs_what_debian_needs():
    final = (ROOT / "Dockerfile").read_text().rpartition("\nFROM ")[2]
    (installed,) = re.findall(r"--no-install-recommends \\\n\s+(.*?) \\\n", final)

    assert set(libraries.DEBIAN) <= set(installed.split())


def test_one_command_installs_everything_and_the_script_prints_it():
    run = [sys.executable, "-I", ROOT / "scripts" / "libraries.py"]
    packages = subprocess.run([*run, "--packages"], capture_output=True, text=True, check=True).stdout.split()
    command = subprocess.run([*run, "--command"], capture_output=True, text=True, check=True).stdout.strip()

    assert packages == list(libraries.DEBIAN)
    assert command == libraries.command()
    assert libraries.COMMANDS["apt-get"].endswith(" ".join(libraries.DEBIAN))


@linux_only
def test_a_system_without_fonts_can_print_nothing(fonts):
    missing = missing_requirements()

    assert "fonts" in missing.needed
    assert missing.advised == ("emoji font",)
    assert missing.command == libraries.command()


@linux_only
def test_a_system_with_a_font_and_without_emoji_prints_most(fonts):
    (fonts / "DejaVuSans.ttf").touch()
    some = missing_requirements()
    (fonts / "truetype").mkdir()
    (fonts / "truetype" / "NotoColorEmoji.ttf").touch()

    assert "fonts" not in some.needed
    assert some.advised == ("emoji font",)
    assert libraries.missing_fonts() == []


def test_a_library_that_is_there_and_cannot_be_loaded_is_missing(monkeypatch, tmp_path):
    broken = tmp_path / "libpango-1.0.so.0"
    broken.touch()
    monkeypatch.setattr(libraries, "LIBRARIES", {"no-such-pango": (str(broken),)})

    assert libraries.missing_libraries() == ["no-such-pango"]


def test_a_font_that_is_installed_later_is_used_after_a_restart(fonts):
    before = template_version.__wrapped__()
    (fonts / "NotoColorEmoji.ttf").touch()

    assert template_version.__wrapped__() != before
