"""Addresses of databases as hosts write them, and the names that follow from them."""

import pytest

from ledgerkit.core.operation.installation.database.setup import Access
from ledgerkit.core.platform.database.roles import NAME_BYTES, RoleLogin, role_of
from ledgerkit.core.platform.database.targets import Target

HOSTS_OWN = (
    "postgresql://shop:p%40ss%2Fword@db.example.com:5432/shop?sslmode=require&channel_binding=require&connect_timeout=5"
)


def test_what_only_libpq_knows_is_left_out_and_the_rest_kept():
    target = Target.parse(HOSTS_OWN)

    assert (target.user, target.password, target.database) == ("shop", "p@ss/word", "shop")
    assert target.url() == "postgresql://shop:p%40ss%2Fword@db.example.com:5432/shop?sslmode=require"


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("postgresql+asyncpg://shop:x@/shop?host=/run/postgresql&port=5432", "/run/postgresql"),
        ("postgresql://shop:x@one:5432,two:5433/shop?target_session_attrs=primary", "one:5432,two:5433"),
        ("postgresql://db:5432/shop?user=shop&password=x", "db:5432"),
        ("postgresql:///shop", "localhost"),
    ],
)
def test_an_address_means_the_same_when_it_is_written_again(url, place):
    target = Target.parse(url)

    assert Target.parse(target.url()) == target
    assert (target.place, target.database) == (place, "shop")


def test_passwords_are_not_shown():
    shown = repr(
        (
            Target.parse("postgresql://shop:hidden@db/shop"),
            RoleLogin("x", "hidden"),
            Access("hidden", "hidden", b"hidden"),
        )
    )

    assert "hidden" not in shown


def test_the_second_roles_name_follows_from_the_databases_and_fits():
    long = [f"{'ñ' * 40}{ending}" for ending in "ab"]

    assert role_of("shop") == "shop_app"
    assert len({role_of(name) for name in long}) == 2
    assert all(len(role_of(name).encode()) <= NAME_BYTES for name in long)
