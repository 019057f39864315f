"""The catalogues hold exactly the texts that the code asks for, in every language, with the values it gives."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from string import Formatter

import pytest

import ledgerkit.app
import ledgerkit.commands.backups
import ledgerkit.problems
from ledgerkit.commands.examining.messages import DoctorMsg
from ledgerkit.commands.messages import CommandsMsg
from ledgerkit.core.operation.backup.texts import BackupMsg
from ledgerkit.core.platform.identity.texts import IdentityMsg
from ledgerkit.problems import Code, Conflict, FieldError, Invalid, NotFound, Problem, RateLimited, broken
from ledgerkit.providers.es import country
from ledgerkit.settings.start_errors import StartError
from ledgerkit.texts import ENGLISH, FixedText, Joined, MessageId, Wording, fixed, languages, text
from ledgerkit.texts.catalogues import FOLDER, catalogue, has
from ledgerkit.texts.common import CommonMsg
from ledgerkit.texts.messages import REMEDY
from ledgerkit.texts.po_files import normalised
from support import sources
from support.keyed_texts import keyed_ids

SOURCES = Path(ledgerkit.app.__file__).parent
LEAVING_OUT = {"database.record_missing", "database.record_missing.remedy", "records.version_changed"}
"""Texts of which a translation does without a value: the English noun of a record."""

TELLING = {"cause", "failure", "hint", "label", "message", "reason", "remedy", "warning", "warnings"}
"""Names of arguments and variables that hold what a person is told."""

NOT_TELLING = {"Answer", "Outcome", *(f"log.{level}" for level in ("debug", "info", "warning", "error", "critical"))}
"""Calls of which that is not so: logs, and what background work stores of the authority's answers, in English."""

ARGUMENTS = {"code", "errors", "headers", "extra", "remedy", "err"}
"""Keyword arguments of a problem that are no values of its texts."""


@cache
def message_classes() -> dict[str, type[MessageId]]:
    named = [
        (path, node.name)
        for path in sources.files(SOURCES)
        for node in sources.tree(path).body
        if isinstance(node, ast.ClassDef) and "MessageId" in {ast.unparse(base) for base in node.bases}
    ]
    assert len({name for _, name in named}) == len(named), "two classes of messages have one name"
    return {
        name: getattr(import_module(".".join(["ledgerkit", *path.relative_to(SOURCES).with_suffix("").parts])), name)
        for path, name in named
    }


FOLDERS = sorted({one.folder for one in message_classes().values()})
CATALOGUES = [(folder, language) for folder in FOLDERS for language in languages(folder)]
HELP, WORDS = FOLDER / "help", SOURCES / "providers" / "es" / "words"


@cache
def declared(folder: Path) -> set[str]:
    named = {one.value for kind in message_classes().values() if kind.folder == folder for one in kind}
    return named | {one.key for one in keyed_ids() if one.folder == folder}


def message(node: ast.AST) -> MessageId | None:
    """The message id that `ClientsMsg.EXISTS` names."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in message_classes():
        return message_classes()[node.value.id][node.attr]
    return None


def used() -> Iterator[str]:
    """Ids that the code names, and those that it makes: `ActivityMsg(f"activity.{action}")` uses all that begin so.

    A loop over all ids of a class uses them all.
    """
    for path in sources.files(SOURCES):
        for loop in sources.nodes(path, ast.comprehension):
            if isinstance(loop.iter, ast.Name):
                yield from message_classes().get(loop.iter.id, ())
        for node in sources.nodes(path, ast.Attribute):
            if named := message(node):
                yield named.value
        for node in sources.nodes(path, ast.Call):
            if isinstance(node.func, ast.Name) and node.func.id in message_classes():
                made = node.args[0]
                start = made.values[0] if isinstance(made, ast.JoinedStr) else made
                assert isinstance(start, ast.Constant), ast.unparse(node)
                yield from (one for one in message_classes()[node.func.id] if one.startswith(start.value))


def placeholders(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}


@pytest.mark.parametrize(("folder", "language"), CATALOGUES, ids=lambda one: getattr(one, "name", one))
def test_every_message_has_its_text_in_every_language(folder, language):
    assert [key for key in catalogue(folder, ENGLISH) if not has(folder, language, key)] == []


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda one: str(one.relative_to(SOURCES)))
def test_the_english_texts_are_those_that_the_code_names(folder):
    known = set(catalogue(folder, ENGLISH))

    assert {key for key in known if not key.endswith(REMEDY)} == declared(folder)
    assert {key.removesuffix(REMEDY) for key in known} == declared(folder)


@pytest.mark.parametrize("path", sorted(SOURCES.rglob("*.po")), ids=lambda path: str(path.relative_to(SOURCES)))
def test_no_file_has_a_text_that_nobody_asks_for(path):
    """The product's own folder may have the texts of all others, with words of documents under a prefix."""
    folder, language = path.parent, path.stem
    known = set(catalogue(folder, ENGLISH)) | set(catalogue(folder, "es"))
    if folder == FOLDER and language not in {ENGLISH, "es"}:
        known.update(*(catalogue(one, ENGLISH) for one in FOLDERS), catalogue(HELP, "es"))
        known.update(f"words_es.{key}" for key in catalogue(WORDS, "es"))

    assert set(catalogue(folder, language)) - known == set()


@pytest.mark.parametrize("language", languages())
def test_every_language_has_help_and_words_of_documents(language):
    if language != ENGLISH:
        assert [key for key in catalogue(HELP, "es") if not has(HELP, language, key)] == []
        assert set(country.words[language]) == set(country.words["es"])


def test_every_message_is_used():
    named = {one.value for kind in message_classes().values() for one in kind}

    assert named - set(used()) == set()


@pytest.mark.parametrize(("folder", "language"), CATALOGUES, ids=lambda one: getattr(one, "name", one))
def test_a_translation_uses_the_values_of_the_english_text(folder, language):
    """All of them, but for nouns and reasons that exist in English only."""
    english = {key: placeholders(forms[-1]) for key, forms in catalogue(folder, ENGLISH).items()}
    translated = {
        (key, place): placeholders(form)
        for file in {folder, FOLDER}
        for key, forms in catalogue(file, language).items()
        for place, form in enumerate(forms)
        if key in english
    }
    differing = {key: names for key, names in translated.items() if names != english[key[0]]}

    assert {key: names for key, names in differing.items() if not names < english[key[0]]} == {}
    assert {key for key, _ in differing} - LEAVING_OUT == set()
    assert [key for key, names in english.items() if not all(name.isidentifier() for name in names)] == []


@pytest.mark.parametrize(("folder", "language"), CATALOGUES, ids=lambda one: getattr(one, "name", one))
def test_texts_have_plurals_where_their_id_says_what_counts(folder, language):
    counted = {
        f"{one}{part}": name
        for kind in message_classes().values()
        if kind.folder == folder
        for one in kind
        for part, name in (("", one.counted), (REMEDY, one.counted_in_remedy))
        if name
    }
    english = catalogue(folder, ENGLISH)
    plural = {key for file in {folder, FOLDER} for key, forms in catalogue(file, language).items() if len(forms) > 1}

    assert [key for key, name in counted.items() if key in english and name not in placeholders(english[key][-1])] == []
    assert plural & set(english) == counted.keys() & set(english)


def wanted(one: MessageId, call: ast.Call) -> set[str]:
    """The values that a message and its remedy need, or the other remedy that the call names."""
    english = catalogue(one.folder, ENGLISH)
    names = placeholders(english[one][-1])
    remedy = next((keyword.value for keyword in call.keywords if keyword.arg == "remedy"), None)
    choices = [remedy.body, remedy.orelse] if isinstance(remedy, ast.IfExp) else [remedy]
    others = [other for node in choices if node is not None and (other := message(node))]
    if others:
        return names.union(*(placeholders(catalogue(other.folder, ENGLISH)[other][-1]) for other in others))
    return names | placeholders(english.get(one + REMEDY, ("",))[-1]) if remedy is None else names


def kinds(base: type) -> set[str]:
    return {base.__name__}.union(*(kinds(one) for one in base.__subclasses__()))


MAKERS = kinds(Problem) | kinds(StartError) | {"text", "field", "of", "refusal", "say", "good", "advised", "missing"}


def differing() -> Iterator[str]:
    """Places where the values given are not those that the texts need."""
    for path in sources.files(SOURCES):
        for call in sources.nodes(path, ast.Call):
            called = getattr(call.func, "attr", getattr(call.func, "id", ""))
            given = {keyword.arg for keyword in call.keywords} - ARGUMENTS
            one = next((found for node in call.args if (found := message(node))), None)
            if one and called in MAKERS and None not in given:
                implied = {"field"} if called in {"field", "of"} else set()
                if given | implied != wanted(one, call) | implied:
                    yield f"{path.relative_to(SOURCES)}:{call.lineno} {one}: {given} given, {wanted(one, call)} wanted"


def test_a_problem_is_given_exactly_the_values_of_its_texts():
    assert list(differing()) == []


def plain_words(node: ast.AST) -> bool:
    """True where a text other than a proper name is written out in the code."""
    texts = (one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str))
    return any(re.search(r"[A-Za-z]{2,} | [A-Za-z]{2,}", re.sub("ledgerkit|Python", "", one)) for one in texts)


def dotted(node: ast.expr) -> str:
    """A name with those before its dots; empty for any other expression."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def told_in_plain_words() -> Iterator[str]:
    """Places where a caller or an operator is told something in words that stand in the code."""
    for path in sources.files(SOURCES):
        for node in sources.nodes(path, ast.Assign, ast.Call):
            told: list[ast.expr] = []
            if isinstance(node, ast.Assign) and {dotted(one) for one in node.targets} & TELLING:
                told = [node.value]
            if isinstance(node, ast.Call) and (called := dotted(node.func)) not in NOT_TELLING:
                told = [one.value for one in node.keywords if one.arg in TELLING]
                told += node.args if called == "typer.echo" else []
            if any(plain_words(one) for one in told):
                yield f"{path.relative_to(SOURCES)}:{node.lineno}"


def test_what_callers_are_told_stands_in_the_catalogues():
    assert list(told_in_plain_words()) == []


@pytest.mark.parametrize("path", sorted(SOURCES.rglob("*.po")), ids=lambda path: str(path.relative_to(SOURCES)))
def test_the_catalogues_are_sorted_and_clean(path):
    """`make texts` does it."""
    written = path.read_text()

    assert written == normalised(written, path.stem)


def test_what_merging_leaves_is_cleaned_and_a_contradiction_is_refused():
    one, two = 'msgid "b.x"\nmsgstr "Dos {n}"\n', 'msgid "a.y"\nmsgstr "Uno"\n'
    clean = normalised(one + two, "es")

    assert normalised(f"{clean}{clean}\n{one}", "es") == clean
    assert clean.index("a.y") < clean.index("b.x")
    with pytest.raises(ValueError, match=r"es\.po has two texts for a\.y"):
        normalised(clean + 'msgid "a.y"\nmsgstr "Otro"\n', "es")


def test_a_plural_is_one_entry_with_the_forms_of_its_language():
    entry = 'msgid "a.files"\nmsgid_plural "a.files"\nmsgstr[0] "{n} fichier"\nmsgstr[1] "{n} fichiers"\n'
    french = normalised(entry, "fr")

    assert '"Plural-Forms: nplurals=2; plural=(n > 1);\\n"' in french
    assert french.endswith(f"\n{entry}")
    assert normalised(french.replace("(n > 1)", "(n == 0)"), "fr").count("(n == 0)") == 1
    with pytest.raises(ValueError, match=r"fr\.po has two texts for a\.files: .*fichiers.* and .*documents"):
        normalised(french + entry.replace("fichiers", "documents"), "fr")


ASKING = """
import json
from ledgerkit.commands.language import help_words, operators_language
from ledgerkit.core.platform.documents.languages import words_in
from ledgerkit.core.operation.backup.texts import BackupMsg
from ledgerkit.problems import broken
from ledgerkit.providers.registry import discover
from ledgerkit.routers.request_metadata import preferred
from ledgerkit.texts import text
language = preferred("pl-PL, es;q=0.5")
body, countries = broken().body(language=language), discover()
form = next(form for form in countries.get("ES").declarations if form.code == "115")
print(json.dumps([
    language,
    body["detail"],
    body["remedy"],
    operators_language({"LANG": "pl_PL.UTF-8"}),
    [text(BackupMsg.FILES_STORED, count=count).in_language(language) for count in (1, 2, 5, 22)],
    form.name.in_language(language),
    form.official_boxes["01"].name.in_language(language),
    words_in(countries, "ES", language)["kind.invoice"],
    help_words("Usage"),
]))
"""


def test_a_third_language_is_one_file(tmp_path):
    """The file is enough for the texts of countries, documents and commands too."""
    package = tmp_path / "ledgerkit"
    package.mkdir()
    for part in SOURCES.iterdir():
        (package / part.name).symlink_to(part)
    (package / "texts").unlink()
    shutil.copytree(SOURCES / "texts", package / "texts")
    polish = {
        "problems.broken": "Coś zawiodło.",
        "problems.broken.remedy": "Podaj requestId.",
        "tax_form.115": "Zaliczki od czynszów",
        "tax_form.115.box_01": "Wynajmujący",
        "words_es.kind.invoice": "Faktura",
        "Usage": "Użycie",
    }
    entries = [f'msgid "{key}"\nmsgstr "{words}"\n' for key, words in polish.items()]
    forms = '\nmsgstr[0] "{count} plik"\nmsgstr[1] "{count} pliki"\nmsgstr[2] "{count} plików"\n'
    entries.append(f'msgid "backup.files_stored"\nmsgid_plural "backup.files_stored"{forms}')
    (package / "texts" / "pl.po").write_text(normalised("\n".join(entries), "pl"))

    asked = subprocess.run(
        [sys.executable, "-c", ASKING],
        env={**os.environ, "PYTHONPATH": str(tmp_path), "LC_ALL": "pl_PL.UTF-8"},
        capture_output=True,
        check=True,
        text=True,
    )

    counted = ["1 plik", "2 pliki", "5 plików", "22 pliki"]
    said = ["pl", "Coś zawiodło.", "Podaj requestId.", "pl", counted]
    assert json.loads(asked.stdout) == [*said, "Zaliczki od czynszów", "Wynajmujący", "Faktura", "Użycie"]


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (0, {"en": "0 files", "es": "0 archivos", "ca": "0 fitxers"}),
        (1, {"en": "1 file", "es": "1 archivo", "ca": "1 fitxer"}),
        (2, {"en": "2 files", "es": "2 archivos", "ca": "2 fitxers"}),
    ],
)
def test_a_count_chooses_the_form_of_its_text(count, said):
    files = text(BackupMsg.FILES_STORED, count=count)

    assert {language: files.in_language(language) for language in languages()} == said


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", ["1 chain with waiting records is due now.", "(1 day left)", "Wait 1 second."]),
        ("es", ["1 cadena con registros en espera se envía ahora.", "(queda 1 día)", "Espera 1 segundo."]),
        ("ca", ["1 cadena amb registres en espera s'envia ara.", "(queda 1 dia)", "Espera 1 segon."]),
    ],
)
def test_one_is_said_as_one(language, said):
    chains = text(CommandsMsg.CHAINS_DUE, count=1).in_language(language)
    certificate = text(DoctorMsg.CERTIFICATE, owner="ACME", holder="ACME", day="2027-01-01", days=1)
    refusal = RateLimited(IdentityMsg.TOO_MANY_REQUESTS, amount=10, reset=1).body(language=language)

    assert [chains, certificate.in_language(language).partition(" (")[2], refusal["remedy"]] == [
        said[0],
        said[1].removeprefix("("),
        said[2],
    ]
    assert "10 " in refusal["detail"]


def test_words_by_language_stand_in_the_catalogues_only():
    """No table of code or TOML gives something in Spanish and in English: a third language would be left out."""
    in_code = [
        f"{path.relative_to(SOURCES)}:{node.lineno}"
        for path in sources.files(SOURCES)
        for node in sources.nodes(path, ast.Dict)
        if {"es", "en"} <= {key.value for key in node.keys if isinstance(key, ast.Constant)}
    ]
    pair = re.compile(r"(^|[{,])\s*(es|en)\s*=", re.MULTILINE)
    in_toml = [path for path in SOURCES.rglob("*.toml") if pair.search(path.read_text())]

    assert (in_code, in_toml) == ([], [])


def test_a_language_without_a_catalogue_is_answered_in_english():
    assert broken().body(language="fr")["detail"] == broken().body()["detail"] == "Something went wrong on our side."
    assert broken().body(language="es")["detail"] == "Algo ha fallado por nuestra parte."


def test_values_that_are_texts_are_put_into_the_same_language():
    inner = Joined(("a", FixedText("one", {"es": "uno"}), CommonMsg.NONE), last=CommonMsg.AND)
    whole = text(CommonMsg.CORRECT_FIELD, field=inner)

    assert whole.in_language("en") == "Correct a, one and none."
    assert whole.in_language("es") == "Corrige a, uno y ninguno."


def test_a_stored_problem_answers_in_the_language_of_the_second_request():
    error = FieldError.of("items[0].unit", "x", CommonMsg.CORRECT_FIELD)
    first = Conflict(CommonMsg.NONE, remedy=CommonMsg.CORRECT_FIELD, errors=[error], extra={"teams": [1]}, field="unit")

    stored = json.loads(json.dumps(first.stored()))
    again = Problem.restored(stored)
    reworded = Problem.restored({**stored, "titles": {"en": "Clash", "es": "Choque"}})

    assert type(again) is Conflict
    assert (first.body()["title"], first.body(language="es")["title"]) == ("Conflict", "Conflicto")
    assert (reworded.body(language="fr")["title"], reworded.body(language="es")["title"]) == ("Clash", "Choque")
    for language in ("en", "es", "fr"):
        assert again.body(language=language) == first.body(language=language)
    assert first.body(language="es")["errors"] == [
        {
            "field": "items[0].unit",
            "code": "x",
            "message": "Corrige items[0].unit.",
            "translations": {
                "en": {"message": "Correct items[0].unit.", "remedy": ""},
                "ca": {"message": "Corregeix items[0].unit.", "remedy": ""},
                "es": {"message": "Corrige items[0].unit.", "remedy": ""},
            },
        }
    ]


def test_a_problem_stored_by_an_earlier_version_is_answered_as_it_was():
    translations = {"en": {"message": "gone", "remedy": "Go."}, "es": {"message": "no está", "remedy": "Ve."}}
    error = {"field": "id", "code": "x", "message": "gone", "remedy": None, "translations": translations}
    stored = {"kind": "Invalid", "detail": "id: gone", "code": "CHAIN_BEGUN", "remedy": "Go.", "errors": [error]}
    whole = {"en": {"message": "id: gone", "remedy": "Go."}, "es": {"message": "id: no está", "remedy": "Ve."}}

    body = Problem.restored({**stored, "translations": whole, "extra": {"number": "A1"}}).body(language="es")

    assert (body["detail"], body["remedy"], body["code"]) == ("id: no está", "Ve.", Code.CHAIN_BEGUN.value)
    assert body["title"] == "La petición no es válida"
    assert body["number"] == "A1"
    assert body["errors"] == [
        {"field": "id", "code": "x", "message": "no está", "remedy": "Ve.", "translations": translations}
    ]


def test_the_title_of_each_kind_of_problem_is_in_the_language_of_the_request():
    answers = [getattr(ledgerkit.problems, name)(CommonMsg.NONE) for name in kinds(Problem) - {"Problem"}]
    titles = {(one.body()["title"], one.body(language="es")["title"]) for one in answers}

    assert [english for english, spanish in titles if english == spanish] == []
    assert len(titles) == len(answers)
    assert NotFound(CommonMsg.NONE).body(language="fr")["title"] == "Not found"
    assert NotFound(CommonMsg.NONE).body(language="es")["title"] == "No encontrado"


def test_each_kind_of_problem_is_restored_as_what_it_was():
    for name in kinds(Problem) - {"Problem"}:
        problem = getattr(ledgerkit.problems, name)(CommonMsg.NONE)
        again = Problem.restored(json.loads(json.dumps(problem.stored())))
        assert (type(again), again.body()) == (type(problem), problem.body())


def test_a_field_is_named_before_what_is_wrong_with_it():
    wordings = {"en": Wording(message="is gone", remedy="Go."), "es": Wording(message="no está", remedy="Ve.")}
    problem = Invalid.field("id", fixed("is gone", "Go.", wordings))

    assert str(problem) == "id: is gone"
    assert problem.body(language="es")["detail"] == "id: no está"
    assert problem.translations["es"] == Wording(message="id: no está", remedy="Ve.")


def test_catalogues_are_read_when_a_text_is_needed_first():
    """Reading them takes longer than a command needs to list the others."""
    imports = "import sys, ledgerkit.cli, ledgerkit.problems; print('babel' in sys.modules)"

    assert subprocess.check_output([sys.executable, "-c", imports], text=True).strip() == "False"


def test_ids_are_lower_case_and_begin_with_their_domain():
    names = [one.value for kind in message_classes().values() for one in kind]

    assert [name for name in names if not re.fullmatch(r"[a-z_]+(\.[a-z0-9_]+)+", name) or name.endswith(REMEDY)] == []
    assert len(names) == len(set(names))
    assert FOLDER in FOLDERS
