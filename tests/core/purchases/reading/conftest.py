"""A model server, and the server under test that asks it."""

import pytest

from ledgerkit.core.purchases.reading.ocr.recogniser import Recogniser
from support.modelserver import model_server, reads


class NotInstalled(Recogniser):
    """Recognition of a machine without the extra `ocr`."""

    @staticmethod
    def installed() -> bool:
        return False


@pytest.fixture
async def without_recognition(kernel):
    """A machine on which nothing but the model reads documents."""
    kernel.services[Recogniser] = NotInstalled()


@pytest.fixture(scope="session")
async def shared_model():
    async with model_server() as server:
        yield server


@pytest.fixture
def model(shared_model):
    """The model server, which reads nothing until a test says what; one for all, as an application is per address."""
    shared_model.says(reads({}))
    shared_model.requests.clear()
    return shared_model


@pytest.fixture
def settings(settings, request):
    """As an operator has them who configured the model, for tests that use it."""
    if "model" not in request.fixturenames:
        return settings
    return settings.model_copy(update={"ai_base_url": request.getfixturevalue("model").url})
