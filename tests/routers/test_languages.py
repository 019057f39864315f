import pytest

from ledgerkit.problems import FieldError, Invalid, Wording
from ledgerkit.routers.exchange import preferred

SPANISH = {"es": Wording(message="falta", remedy="Indícalo.")}


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("", "en"),
        ("*", "en"),
        ("fr", "en"),
        ("es", "es"),
        ("ES-mx", "es"),
        ("es-ES,es;q=0.9,en;q=0.8", "es"),
        ("en;q=0.8,es-ES", "es"),
        ("en-GB,en;q=0.9,es;q=0.5", "en"),
        ("fr, es;q=0.3", "es"),
        ("en;q=0.4,es;q=0.41", "es"),
        ("es;q=0, en;q=0.1", "en"),
        ("es;q=0", "en"),
        ("es;q=high", "en"),
        (";;,,q=1", "en"),
    ],
)
def test_the_callers_first_language_of_ours_is_chosen(accepted, language):
    assert preferred(accepted) == language


def test_a_problem_is_worded_in_the_language_asked_for_and_keeps_its_translations():
    error = FieldError(field="client", code="1189", message="missing", remedy="Name it.", translations=SPANISH)
    problem = Invalid("client: missing", errors=[error], remedy="Name it.", translations=SPANISH)

    english, spanish = problem.body(), problem.body(language="es")

    assert (english["detail"], english["remedy"]) == ("client: missing", "Name it.")
    assert (spanish["detail"], spanish["error"], spanish["remedy"]) == ("falta", "falta", "Indícalo.")
    assert (english["errors"][0]["message"], spanish["errors"][0]["message"]) == ("missing", "falta")
    assert spanish["errors"][0]["remedy"] == "Indícalo."
    assert english["errors"][0]["translations"] == {"es": {"message": "falta", "remedy": "Indícalo."}}


def test_a_problem_without_translations_is_answered_as_ever():
    body = Invalid.field("email", "is no address").body(language="es")

    assert body["errors"] == [{"field": "email", "code": "VALIDATION_ERROR", "message": "is no address"}]
    assert body["detail"] == "email: is no address"
