"""The sandbox's own certificates: strict, private, kept while good, renewed when not."""

import stat
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509

from ledgerkit.providers.es.sandbox.certificates import ensure

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
FILES = ("ca.pem", "ca-key.pem", "server.pem", "client.pem", "signer.pem")


def contents(directory):
    return {name: (directory / name).read_bytes() for name in FILES}


def test_certificates_are_made_once_and_kept(tmp_path):
    ensure(tmp_path, "127.0.0.1", NOW)
    before = contents(tmp_path)

    ensure(tmp_path, "127.0.0.1", NOW + timedelta(days=300))

    assert contents(tmp_path) == before


def test_leaves_close_to_expiry_are_renewed_under_the_same_authority(tmp_path):
    ensure(tmp_path, "127.0.0.1", NOW)
    before = contents(tmp_path)

    ensure(tmp_path, "127.0.0.1", NOW + timedelta(days=368))

    after = contents(tmp_path)
    assert {name for name in FILES if after[name] != before[name]} == {"server.pem", "client.pem", "signer.pem"}


@pytest.mark.parametrize("spoiled", FILES)
def test_what_is_unreadable_or_gone_is_made_again_and_all_fits(tmp_path, spoiled):
    ensure(tmp_path, "127.0.0.1", NOW)
    (tmp_path / spoiled).write_bytes(b"") if spoiled != "ca.pem" else (tmp_path / spoiled).unlink()

    files = ensure(tmp_path, "127.0.0.1", NOW)

    ca = x509.load_pem_x509_certificate(files.ca.read_bytes())
    for leaf in (files.server, files.client):
        x509.load_pem_x509_certificate(leaf.read_bytes()).verify_directly_issued_by(ca)


def test_a_certificate_from_the_future_is_made_again(tmp_path):
    ensure(tmp_path, "127.0.0.1", NOW)
    before = contents(tmp_path)

    ensure(tmp_path, "127.0.0.1", NOW - timedelta(days=5))

    assert contents(tmp_path)["server.pem"] != before["server.pem"]


def test_another_host_gets_a_server_certificate_that_names_it(tmp_path):
    ensure(tmp_path, "127.0.0.1", NOW)

    files = ensure(tmp_path, "sandbox.internal", NOW)

    certificate = x509.load_pem_x509_certificate(files.server.read_bytes())
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["localhost", "sandbox.internal"]


def test_keys_are_for_the_owner_alone(tmp_path):
    ensure(tmp_path / "new", "127.0.0.1", NOW)

    modes = {name: stat.S_IMODE((tmp_path / "new" / name).stat().st_mode) for name in FILES}
    assert modes == dict.fromkeys(FILES, 0o600) | {"ca.pem": 0o644}
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700
