from importlib.metadata import distributions
from itertools import count

import pytest

from ledgerkit.providers.registry import GROUP, discover

_serial = count()

GOOD = """
from dataclasses import replace
from ledgerkit.providers.es import country as spain
country = replace(spain, code={code!r}, name={name!r}, api_version={version})
"""


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Really installed distributions in a directory of their own, found as the packaging metadata finds them."""
    monkeypatch.syspath_prepend(tmp_path)

    def install(distribution: str, source: str, attribute: str = "country") -> None:
        module = f"fabricated_{next(_serial)}"
        (tmp_path / f"{module}.py").write_text(source)
        metadata = tmp_path / f"{distribution.replace('-', '_')}-1.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
        (metadata / "entry_points.txt").write_text(f"[{GROUP}]\nXX = {module}:{attribute}\n")

    def found():
        return [
            entry
            for distribution in distributions(path=[str(tmp_path)])
            for entry in distribution.entry_points.select(group=GROUP)
        ]

    return install, found


def good(code="PT", name="Portugal", version=1):
    return GOOD.format(code=code, name=name, version=version)


def test_spain_is_found_without_naming_it():
    registry = discover()

    assert registry.get("ES").name == "Spain"
    assert registry.get("PT") is None
    assert not registry.broken


def test_a_second_country_appears_by_being_installed(installed):
    install, found = installed
    install("ledgerkit-pt", good())

    registry = discover(found())

    assert registry.get("PT").name == "Portugal"
    assert registry.broken == ()


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import a_module_that_is_nowhere", "ModuleNotFoundError"),
        ("raise SystemExit('bye')", "SystemExit: bye"),
        ("1 / 0", "ZeroDivisionError"),
        ("country = 'Portugal'", "is a str, not a CountryProvider"),
        ("other = 1", "AttributeError"),
        (good(version=2), "provider API 2"),
        (good(code="prt"), "two capital letters"),
    ],
)
def test_a_broken_country_is_listed_and_the_others_go_on(installed, source, reason):
    install, found = installed
    install("ledgerkit-broken", source)
    install("ledgerkit-pt", good())

    registry = discover(found())

    assert set(registry.countries) == {"PT"}
    assert [broken.distribution for broken in registry.broken] == ["ledgerkit-broken"]
    assert reason in str(registry.broken[0].reason)


def test_of_two_with_the_same_code_the_first_by_distribution_name_wins(installed):
    install, found = installed
    install("zeta", good(name="Second"))
    install("alpha", good(name="First"))

    for order in (found(), reversed(found())):
        registry = discover(order)
        assert registry.get("PT").name == "First"
        assert [(broken.distribution, str(broken.reason)) for broken in registry.broken] == [
            ("zeta", "country PT is already provided by alpha")
        ]
        assert registry.broken[0].reason.in_language("es") == "el país PT ya lo trae alpha"


def test_the_registry_cannot_be_changed():
    with pytest.raises(TypeError):
        discover().countries["PT"] = None
