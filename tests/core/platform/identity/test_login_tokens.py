"""Login tokens judged by a second implementation (PyJWT): what must be refused, is.

python-jose alone accepts much of it; see docs of `ledgerkit.core.platform.identity.logins.tokens`.
"""

import base64
import hashlib
import hmac
import json
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import jwt
import pytest
import time_machine
from sqlalchemy import text

from ledgerkit.core.platform.identity.logins.tokens import AUDIENCE, ISSUER, Tokens
from support.api import Api
from support.database import as_owner

SECRET = b"a secret of the tests, forty characters long"
SIGNING = hmac.digest(SECRET, b"login token", "sha256")
"""As the module derives it: recomputed here, so that a changed derivation is noticed."""

KID = hashlib.sha256(SIGNING).hexdigest()[:16]
USER = UUID("01890000-0000-7000-8000-000000000001")


@pytest.fixture
def tokens() -> Tokens:
    return Tokens(SECRET)


def claims(**changes: Any) -> dict[str, Any]:
    now = datetime.now(UTC)
    whole = {
        "sub": str(USER),
        "ver": 1,
        "iat": now,
        "exp": now + timedelta(hours=1),
        "jti": "x",
        "iss": ISSUER,
        "aud": AUDIENCE,
        **changes,
    }
    return {name: value for name, value in whole.items() if value is not None}


def signed(
    key: bytes = SIGNING, algorithm: str = "HS256", headers: dict[str, Any] | None = None, **changes: Any
) -> str:
    return jwt.encode(claims(**changes), key, algorithm=algorithm, headers={"kid": KID, **(headers or {})})


def relabelled(algorithm: str) -> str:
    """A good token under a header that names another algorithm."""
    return f"{part({'alg': algorithm, 'kid': KID})}.{signed().partition('.')[2]}"


def part(value: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def test_our_tokens_satisfy_the_other_implementation(tokens):
    token = tokens.login_token(USER, 3, timedelta(hours=24)).token

    read = jwt.decode(token, SIGNING, algorithms=["HS256"], audience=AUDIENCE, issuer=ISSUER)

    assert (read["sub"], read["ver"], read["exp"] - read["iat"]) == (str(USER), 3, 24 * 3600)
    assert jwt.get_unverified_header(token) == {"alg": "HS256", "typ": "JWT", "kid": KID}


def test_a_token_of_the_other_implementation_is_accepted(tokens):
    session = tokens.session(signed())

    assert (session.user_id, session.login.version, session.login.id) == (USER, 1, "x")


def test_each_token_is_another_one(tokens):
    made = {tokens.login_token(USER, 1, timedelta(hours=1)).token for _ in range(10)}

    assert len(made) == 10


LATER = datetime.now(UTC) + timedelta(days=2)

REFUSED = {
    "another key": lambda: signed(b"x" * 32),
    "the secret itself as key": lambda: signed(SECRET),
    "another algorithm": lambda: signed(algorithm="HS384"),
    "a stronger algorithm": lambda: signed(algorithm="HS512"),
    "no algorithm": lambda: jwt.encode(claims(), None, algorithm="none", headers={"kid": KID}),
    "no algorithm, signature kept": lambda: relabelled("none"),
    "another algorithm named over our signature": lambda: (
        f"{part({'alg': 'HS512', 'kid': KID})}.{signed().partition('.')[2]}"
    ),
    "no signature": lambda: signed().rpartition(".")[0] + ".",
    "another payload": lambda: ".".join((signed().split(".")[0], part({"sub": str(USER)}), signed().split(".")[2])),
    "no kid": lambda: jwt.encode(claims(), SIGNING, algorithm="HS256"),
    "another kid": lambda: signed(headers={"kid": "0" * 16}),
    "a kid that is a path": lambda: signed(headers={"kid": "/dev/null"}),
    "expired": lambda: signed(exp=datetime.now(UTC) - timedelta(seconds=1)),
    "no expiry": lambda: signed(exp=None),
    "an expiry in words": lambda: signed(exp="tomorrow"),
    "no time of issue": lambda: signed(iat=None),
    "no audience": lambda: signed(aud=None),
    "another audience": lambda: signed(aud="somebody else"),
    "no issuer": lambda: signed(iss=None),
    "another issuer": lambda: signed(iss="somebody else"),
    "no subject": lambda: signed(sub=None),
    "a subject that is no id": lambda: signed(sub="admin"),
    "no id": lambda: signed(jti=None),
    "no version": lambda: signed(ver=None),
    "a version in words": lambda: signed(ver="x"),
    "a critical header": lambda: signed(headers={"crit": ["exp"], "exp": 1}),
    "an unknown critical header": lambda: signed(headers={"crit": ["x"], "x": 1}),
    "a key's address": lambda: signed(headers={"jku": "https://example.com/keys"}),
    "a key inside": lambda: signed(headers={"jwk": {"kty": "oct", "k": "eHh4"}}),
    "a certificate's address": lambda: signed(headers={"x5u": "https://example.com/x"}),
    "a certificate inside": lambda: signed(headers={"x5c": ["x"]}),
    "not yet valid": lambda: signed(nbf=LATER),
    "encrypted": lambda: ".".join([part({"alg": "dir", "enc": "A256GCM", "kid": KID}), "", "AAAA", "AAAA", "AAAA"]),
    "two parts": lambda: "a.b",
    "nothing": lambda: "",
    "a header that is a list": lambda: f"{base64.urlsafe_b64encode(b'[]').decode()}.e30.AAAA",
    "not ASCII": lambda: "ä.ö.ü",
}


@pytest.mark.filterwarnings("ignore::jwt.warnings.InsecureKeyLengthWarning")  # too short for those algorithms: ours
@pytest.mark.parametrize("made", REFUSED.values(), ids=REFUSED)
def test_a_token_is_refused(tokens, made):
    assert tokens.session(made()) is None


def test_a_short_secret_is_refused():
    with pytest.raises(ValueError, match="32 bytes"):
        Tokens(b"x" * 31)


def test_another_servers_token_is_refused(tokens):
    assert tokens.session(Tokens(b"y" * 40).login_token(USER, 1, timedelta(hours=1)).token) is None


async def test_a_token_lives_24_hours(client):
    api = await Api.register(client, "eva@example.com")

    with time_machine.travel(datetime.now(UTC) + timedelta(hours=23, minutes=59), tick=False):
        assert (await api.request("GET", "/auth/me")).status_code == 200
    with time_machine.travel(datetime.now(UTC) + timedelta(hours=24, seconds=1), tick=False):
        assert (await api.refused(401, "GET", "/auth/me"))["code"] == "UNAUTHENTICATED"


async def test_a_new_token_version_ends_all_sessions(kernel, client):
    api = await Api.register(client, "eva@example.com")
    async with as_owner(kernel) as connection:
        await connection.execute(text("update app_user set token_version = token_version + 1"))

    await api.refused(401, "GET", "/auth/me")


async def test_a_token_of_an_unknown_user_is_refused(client, kernel):
    stranger = kernel.service(Tokens).login_token(uuid4(), 1, timedelta(hours=1)).token

    await Api(client, {"Authorization": f"Bearer {stranger}"}).refused(401, "GET", "/auth/me")
