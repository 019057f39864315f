"""Categories learned from expenses: what is learned, how sure a guess is, and how often it is right."""

import pytest

from ledgerkit.core.purchases.expenses.api import CATEGORIES
from ledgerkit.core.purchases.reading.categories.classifier import UNKNOWN, CategorisedExpense, Classifier
from support.reliability import HINTS, accuracy, calibration_error, judged


def classifier(*expenses: tuple[str, str, str], hints=HINTS) -> Classifier:
    learned = [CategorisedExpense(description, vendor, category) for description, vendor, category in expenses]
    return Classifier(CATEGORIES, learned, hints)


@pytest.mark.parametrize(
    ("description", "vendor", "category"),
    [
        ("Gasóleo A", "E.S. La Vega", "fuel"),
        ("", "REPSOL", "fuel"),
        ("2 menús del día", "", "meals"),
        ("Billetes de AVE", "Renfe Viajeros", "travel"),
        ("Factura de luz", "", "utilities"),
        ("Póliza de responsabilidad civil", "Mapfre", "insurance"),
        ("Monthly subscription", "GitHub, Inc.", "software"),
    ],
)
def test_an_account_without_expenses_has_the_words_of_its_country(description, vendor, category):
    guess = classifier().guess(description, vendor)

    assert guess.category == category
    assert 0.5 < guess.confidence < 1


def test_nothing_known_is_other_and_says_that_it_is_a_guess():
    guess = classifier().guess("Zxqv", "Wpfh")

    assert guess.category == UNKNOWN
    assert guess.confidence < 0.3


def test_an_accounts_own_choice_outweighs_the_words_of_the_country():
    chosen = classifier(*[("Gasóleo", "Repsol", "goods")] * 6)

    assert classifier().guess("Gasóleo", "Repsol").category == "fuel"
    assert chosen.guess("Gasóleo", "Repsol").category == "goods"


def test_a_category_of_the_accounts_own_is_learned():
    guess = classifier(*[("Pienso", "Granja Ruiz", "animales")] * 4).guess("Sacos de pienso", "Granja Ruiz")

    assert guess.category == "animales"


def test_a_vendor_of_several_categories_is_told_apart_by_the_words():
    expenses = [("Silla y mesa", "Almacenes Rey", "office"), ("Libro de ventas", "Almacenes Rey", "training")] * 5
    learned = classifier(*expenses, hints=())

    assert learned.guess("Mesas", "Almacenes Rey").category == "office"
    assert learned.guess("libros", "ALMACENES REY").category == "training"
    assert learned.guess("", "Almacenes Rey").confidence < learned.guess("Mesas", "Almacenes Rey").confidence


def test_more_expenses_of_a_kind_make_a_guess_surer():
    confidences = [
        classifier(*[("Cuota", "Plumbago BV", "software")] * count, hints=()).guess("Cuota", "Plumbago BV").confidence
        for count in (0, 1, 3, 10)
    ]

    assert confidences == sorted(confidences)
    assert confidences[-1] < 1


def test_an_expense_in_other_says_little():
    """Nobody may have chosen it: it is the default."""
    learned = classifier(("Cuota", "Plumbago", "other"), ("Cuota", "Plumbago", "software"), hints=())

    assert learned.guess("Cuota", "Plumbago").category == "software"


def test_the_order_of_the_expenses_does_not_count():
    expenses = [("Cuota", "A", "software"), ("Cuota", "B", "rent"), ("Local", "B", "rent")]

    assert classifier(*expenses).guess("Cuota local", "") == classifier(*reversed(expenses)).guess("Cuota local", "")


@pytest.mark.parametrize(("first_month", "least_right", "error"), [(1, 0.7, 0.2), (4, 0.8, 0.1), (10, 0.9, 0.06)])
def test_confidence_is_the_share_of_right_guesses(first_month, least_right, error):
    """A generated year, split by time: tests/support/reliability.py prints the whole table."""
    guesses = judged(first_month)

    assert accuracy(guesses) > least_right
    assert calibration_error(guesses) < error


def test_sure_guesses_are_right():
    sure = [guess for guess in judged(10) if guess.confidence > 0.9]

    assert len(sure) > 100
    assert accuracy(sure) > 0.93
