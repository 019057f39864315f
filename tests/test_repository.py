"""The files around the code: locks, container files, README. No Docker engine is needed, and none is pretended."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent
REGISTRIES = tuple("".join(parts) for parts in (("py", "pi.org"), ("pythonhosted", ".org"), ("npm", "js.org")))
IMPORTED_AS = {
    "opentelemetry_api": "opentelemetry",
    "pillow": "PIL",
    "python_jose": "jose",
    "python_stdnum": "stdnum",
}
NEVER_IMPORTED = {
    "fastapi_swagger": "holds the files of /docs",
    "uvloop": "uvicorn runs on it",
}
SECRET_SETTINGS = ("SECRET_KEY", "DATABASE_URL", "DATABASE_APP_URL", "SMTP_URL", "VERIFACTU_CERT_PASSWORD")


def tracked() -> list[Path]:
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)  # noqa: S607 -- git of the PATH, as people have it
    if listing.returncode:
        pytest.skip("not a git work tree: the list of committed files cannot be asked for")
    return [path for name in listing.stdout.decode().split("\0") if name and (path := ROOT / name).is_file()]


@pytest.fixture(scope="module")
def compose() -> dict:
    return yaml.safe_load((ROOT / "compose.yaml").read_text())


def pinned(name: str) -> dict[str, str]:
    """Package and marker of each line of a lock, with its version."""
    text = (ROOT / "requirements" / name).read_text().replace("\\\n", " ")
    lines = [line.strip() for line in text.splitlines() if line and not line.lstrip().startswith("#")]
    assert lines
    assert [line for line in lines if "--hash=sha256:" not in line] == []
    return {re.sub(r"==[^ ]+", "", line.split(" --hash")[0]): line.split("==")[1].split()[0] for line in lines}


def test_no_committed_file_names_a_package_registry():
    guilty = [
        path.relative_to(ROOT)
        for path in tracked()
        if any(registry.encode() in path.read_bytes() for registry in REGISTRIES)
    ]

    assert guilty == []


def test_whoever_installs_ledgerkit_is_told_the_name_of_our_distribution():
    """`ledgerkit` on the public index is another project's (docs/adr/0045)."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    name, extras = project["name"], "|".join(project["optional-dependencies"])
    wrong = re.compile(rf"ledgerkit\[({extras})\]|(?:pip install|dependencies = \[)[^\n]*[\"'` ]ledgerkit(?![\w./*-])")
    suffixes = {".md", ".po", ".py", ".toml", ".ts", ".tsx"}
    texts = {path.relative_to(ROOT): path.read_text() for path in tracked() if path.suffix in suffixes}

    assert name == "ledgerkit-server"
    assert [path for path, text in texts.items() if wrong.search(text)] == []


def test_there_is_no_lock_in_another_format():
    names = {path.name for path in tracked()}

    assert names.isdisjoint({"uv.lock", "poetry.lock", "Pipfile.lock", "pylock.toml"})


@pytest.mark.parametrize("name", ["bootstrap.txt", "build.txt", "node.txt", "dev.txt", "otel.txt", "runtime.txt"])
def test_every_locked_package_is_pinned_with_its_hashes(name):
    assert pinned(name)


@pytest.mark.parametrize(("smaller", "larger"), [("runtime.txt", "otel.txt"), ("otel.txt", "dev.txt")])
def test_development_runs_on_the_very_versions_that_users_get(smaller, larger):
    users, others = pinned(smaller), pinned(larger)

    assert {package: others.get(package) for package in users} == users


def test_every_package_that_a_server_is_given_is_used_by_it():
    """Each one of the dependencies is imported, or named here with what it is for."""
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    names = {re.match(r"[\w-]+", one)[0].replace("-", "_") for one in wanted}
    sources = "\n".join(path.read_text() for path in (ROOT / "src").rglob("*.py"))
    imported = set(re.findall(r"^ *(?:from|import) (\w+)", sources, re.MULTILINE))

    assert {name for name in names if IMPORTED_AS.get(name, name) not in imported} == set(NEVER_IMPORTED)


def test_make_alone_lists_every_target():
    listing = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True).stdout  # noqa: S607 -- make of the PATH, as people have it
    targets = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE).group(1).split()

    assert re.findall(r"^  make ([\w-]+)", listing, re.MULTILINE) == targets


def test_database_is_reachable_from_the_containers_only(compose):
    assert "ports" not in compose["services"]["db"]


def test_only_what_migrates_knows_the_owner_of_the_database(compose):
    knowing = {name for name, service in compose["services"].items() if "postgres_password" in service["secrets"]}
    owners = {
        name for name, service in compose["services"].items() if "LEDGERKIT_DATABASE_URL" in service["environment"]
    }

    assert (knowing, owners) == ({"db", "migrate"}, {"migrate"})


def test_worker_and_app_share_an_address_and_no_port_of_metrics(compose):
    app, worker = compose["services"]["app"], compose["services"]["worker"]

    assert worker["network_mode"] == "service:app"
    assert worker["environment"]["LEDGERKIT_METRICS_PORT"] == "${WORKER_METRICS_PORT:-}"
    assert "LEDGERKIT_METRICS_PORT" not in app["environment"]


def test_no_secret_is_written_into_compose(compose):
    written = {name for service in compose["services"].values() for name in service["environment"]}

    assert written.isdisjoint({"POSTGRES_PASSWORD", "PGPASSWORD", "LEDGERKIT_SECRET_KEY"})
    assert all(set(secret) == {"file"} for secret in compose["secrets"].values())


def test_all_settings_of_the_env_file_reach_what_runs_in_compose(compose):
    """Those of the country's package have no line of their own there."""
    ours = [service for name, service in compose["services"].items() if name != "db"]

    assert [service["env_file"] for service in ours] == [[{"path": ".env", "required": False}]] * len(ours)
    assert not [name for service in ours for name in service["environment"] if "VERIFACTU" in name]


def test_image_runs_as_a_plain_user_and_watches_its_health():
    final = (ROOT / "Dockerfile").read_text().rpartition("\nFROM ")[2]

    assert re.search(r"^USER [1-9]\d*$", final, re.MULTILINE)
    assert "/health" in re.search(r"^HEALTHCHECK .*\n.*$", final, re.MULTILINE).group(0)


def test_image_installs_by_hash_only():
    build = (ROOT / "Dockerfile").read_text()

    assert build.count("--require-hashes") == len(re.findall(r"pip (?:install|sync)", build)) - 1
    assert "--no-deps /wheel/" in build


@pytest.mark.parametrize("setting", SECRET_SETTINGS)
def test_containers_read_a_secret_from_its_file(setting, tmp_path):
    secret = tmp_path / "secret file"
    secret.write_text('it\'s $HOME "quoted"\n')
    name = f"LEDGERKIT_{setting}"

    shown = subprocess.run(
        [ROOT / "scripts/docker-entrypoint", "/usr/bin/env"],
        env={f"{name}_FILE": str(secret), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()

    assert f'{name}=it\'s $HOME "quoted"' in shown
    assert not any(line.startswith(f"{name}_FILE=") for line in shown)


def test_containers_refuse_to_start_without_a_secret_that_is_named(tmp_path):
    absent = tmp_path / "absent"

    answer = subprocess.run(
        [ROOT / "scripts/docker-entrypoint", "/usr/bin/true"],
        env={"LEDGERKIT_SECRET_KEY_FILE": str(absent), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert answer.returncode == 78
    assert f"LEDGERKIT_SECRET_KEY_FILE names {absent}" in answer.stderr


def test_certificate_settings_that_are_files_are_left_alone():
    shown = subprocess.run(
        [ROOT / "scripts/docker-entrypoint", "/usr/bin/env"],
        env={"LEDGERKIT_VERIFACTU_CERT_FILE": "/run/secrets/seal.p12", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout

    assert "LEDGERKIT_VERIFACTU_CERT_FILE=/run/secrets/seal.p12" in shown


def test_readme_shows_the_main_job_as_five_requests():
    block = re.search(r"^```bash main-job\n(.*?)^```$", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)

    assert block
    assert len(re.findall(r"\bcurl\b", block.group(1))) == 5


def test_every_link_between_documents_leads_somewhere():
    documents = [path for path in tracked() if path.suffix == ".md"]
    links = [
        (document.relative_to(ROOT), target)
        for document in documents
        for target in re.findall(r"\]\((?!https?:|mailto:|#)([^)#\s]+)", document.read_text())
    ]

    assert links
    assert [(document, target) for document, target in links if not (ROOT / document.parent / target).exists()] == []


def test_the_reference_material_is_looked_for_by_its_fixture_or_in_the_file_of_a_test():
    """The stranger's clone of CI runs the tests that pytest marks by it: a support module would hide them."""
    hidden = [
        path.relative_to(ROOT)
        for path in (ROOT / "tests").rglob("*.py")
        if '/ "shared"' in path.read_text() and not path.name.startswith("test_")
    ]

    assert hidden == [Path("tests/support/fixtures.py")]
