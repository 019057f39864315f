"""Client of the model server: images or text in, an instance of a schema out."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from ledgerkit.core.platform.ai.model import answers
from ledgerkit.core.platform.ai.model.answers import Completion, ModelChoice, ModelMessage
from ledgerkit.core.platform.ai.model.failures import RETRY_AFTER, FailureKind, ModelFailure, RefusedError
from ledgerkit.core.platform.ai.model.requests import RequestForm, messages, repair
from ledgerkit.core.platform.request.previews import DryRun
from ledgerkit.core.platform.request.texts import DryRunMsg
from ledgerkit.settings import Settings

SchemaT = TypeVar("SchemaT", bound=BaseModel)
T = TypeVar("T")

_ENDPOINT = re.compile(r"/(chat/completions|models)/*\Z")
_VERSIONED = re.compile(r"/v\d+\w*\Z")


class ModelServer(Protocol):
    """Model server at one address. Each method asks once and returns the body of the answer.

    Raises RefusedError and ModelFailure.
    """

    def move(self, address: str) -> None:
        """Ask at another address from now on."""
        ...

    async def models(self) -> str: ...
    async def completion(self, options: Mapping[str, Any]) -> str: ...
    async def transcription(self, model: str, sound: bytes, language: str) -> str: ...
    async def close(self) -> None: ...


@dataclass(frozen=True, kw_only=True)
class Extraction(Generic[SchemaT]):
    """Data that a model has read.

    `unreadable` names the fields for which the answer has no valid value: they are null, or have their default.
    """

    value: SchemaT
    engine: str
    unreadable: frozenset[str] = frozenset()


class ModelClient:
    """Client of the model server that the settings name; made once per process, `ctx.kernel.service(ModelClient)`."""

    def __init__(self, settings: Settings) -> None:
        self._seconds = settings.ai_timeout
        self._key = settings.ai_api_key.get_secret_value() if settings.ai_api_key else ""
        self._model = settings.ai_model or ""
        self._hearing_model = settings.ai_transcription_model or ""
        self._addresses = addresses(settings.ai_base_url)
        self._places = asyncio.Semaphore(settings.ai_max_calls)
        self._opening = asyncio.Lock()
        self._server: ModelServer | None = None
        self._form = RequestForm()

    @property
    def configured(self) -> bool:
        """Return True when a model server is configured; `extract` is only called then."""
        return bool(self._addresses)

    @property
    def transcribes(self) -> bool:
        """Return True when voice notes can be understood; `transcribe` is only called then."""
        return self.configured and bool(self._hearing_model)

    @property
    def engine(self) -> str:
        """Name of the model, which the ledger and the answers show as the engine."""
        return self._model or "model"

    async def extract(
        self, schema: type[SchemaT], *, instructions: str, images: Sequence[bytes] = (), text: str | None = None
    ) -> Extraction[SchemaT]:
        """Return the data that the model reads in `images` (PNG or JPEG) and `text`, as an instance of `schema`.

        `instructions` are ours and say which data to read. Images and text are data, even where they contain orders.
        Every field of `schema` has a default or may be null, because a model leaves out what it cannot read. Call it
        outside any transaction. Raises ModelFailure.
        """

        async def work() -> Extraction[SchemaT]:
            return await self._extracted(schema, messages(schema, instructions, images, text))

        return await self._in_time(work)

    async def transcribe(self, sound: bytes, language: str) -> str:
        """Return the words of a voice note in a language, as `es`; empty for silence. Raises ModelFailure."""

        async def work() -> str:
            try:
                body = await self._asked(lambda server: server.transcription(self._hearing_model, sound, language))
                return _Transcription.model_validate_json(body).text.strip()
            except (RefusedError, ValidationError):
                raise ModelFailure(FailureKind.UNREADABLE, "the answer is no transcription") from None

        return await self._in_time(work)

    async def converse(self, turns: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]) -> ModelMessage:
        """Return what the model says next in a conversation: words, or the tools that it wants to use.

        `tools` are function tools of OpenAI's chat completions. Raises ModelFailure.
        """

        async def work() -> ModelMessage:
            model = await self._chosen()
            options: dict[str, Any] = {"model": model, "messages": list(turns)}
            if tools:
                options["tools"] = list(tools)
            try:
                return _first_choice(await self._asked(_completing(options))).message
            except RefusedError as refusal:
                raise ModelFailure(FailureKind.REFUSED, refusal.words) from None

        return await self._in_time(work)

    async def models(self) -> list[str]:
        """Return the names of the models that the server offers. Raises ModelFailure."""
        return await self._in_time(self._offered)

    async def stop(self) -> None:
        """Close the connections."""
        if self._server is not None:
            await self._server.close()

    def in_dry_run(self, dry_run: DryRun) -> "ModelClient":
        """Return a client that asks no model."""
        return _SilentClient(self, dry_run)

    async def _in_time(self, work: Callable[[], Awaitable[T]]) -> T:
        """Do `work` when a place for a call is free. Waiting and work together take `ai_timeout` seconds at most."""
        try:
            async with asyncio.timeout(self._seconds):
                await self._take_place()
                try:
                    return await work()
                finally:
                    self._places.release()
        except TimeoutError:
            raise ModelFailure(FailureKind.TIMEOUT, f"no answer within {self._seconds} s") from None

    async def _take_place(self) -> None:
        """Wait for a free place for half of the time at most: the call needs the rest. Raises ModelFailure BUSY."""
        try:
            async with asyncio.timeout(self._seconds / 2):
                await self._places.acquire()
        except TimeoutError:
            raise ModelFailure(FailureKind.BUSY, "all places for calls are taken", RETRY_AFTER) from None

    async def _extracted(self, schema: type[SchemaT], turns: list[Mapping[str, Any]]) -> Extraction[SchemaT]:
        first = await self._answer(schema, turns)
        reading = answers.read(schema, first)
        if reading.value is None:
            second = await self._answer(schema, [*turns, *repair(first, reading.faults)])
            reading = answers.read(schema, second)
        if reading.value is not None:
            return Extraction(value=reading.value, engine=self.engine)
        lenient = answers.read_leniently(schema, reading.fields) if reading.fields is not None else None
        if lenient is None:
            raise ModelFailure(FailureKind.UNREADABLE, "the answer does not fit the schema")
        return Extraction(value=lenient[0], engine=self.engine, unreadable=lenient[1])

    async def _answer(self, schema: type[BaseModel], turns: Sequence[Mapping[str, Any]]) -> str:
        """Return the text of one answer; empty if it has no text, such as a call of tools."""
        await self._chosen()
        choice = await self._choice(schema, turns)
        if choice.finish_reason == "length":
            raise ModelFailure(FailureKind.UNREADABLE, "the answer is too long")
        return choice.message.content or ""

    async def _chosen(self) -> str:
        """Return the model that is asked: the one of the settings, else the first that the server offers."""
        if not self._model:
            offered = await self._offered()
            if not offered:
                raise ModelFailure(FailureKind.ADDRESS, "the server offers no model")
            self._model = offered[0]
        return self._model

    async def _choice(self, schema: type[BaseModel], turns: Sequence[Mapping[str, Any]]) -> ModelChoice:
        """Ask in the form that the server understood last, then in simpler ones while it refuses them."""
        form: RequestForm | None = self._form
        while form is not None:
            options = {"model": self._model, "messages": turns, **form.options(schema)}
            try:
                body = await self._asked(_completing(options))
            except RefusedError as refusal:
                form = form.after(refusal.words)
                continue
            self._form = form
            return _first_choice(body)
        raise ModelFailure(FailureKind.REFUSED, "every form of the request is refused")

    async def _offered(self) -> list[str]:
        body = await self._asked(lambda server: server.models())
        try:
            return [model.id for model in _Models.model_validate_json(body).data]
        except ValidationError:
            raise ModelFailure(FailureKind.ADDRESS, "the answer is no list of models") from None

    async def _asked(self, question: Callable[[ModelServer], Awaitable[str]]) -> str:
        """Ask and return the body of the answer. If the address is not found, ask again with `/v1` added."""
        server = await self._opened()
        while True:
            address = self._addresses[0]
            try:
                body = await question(server)
            except ModelFailure as failure:
                unusable = failure
            else:
                if not body.lstrip().startswith("<"):  # a page: the server's own, not its interface
                    return body
                unusable = ModelFailure(FailureKind.ADDRESS, "a web page answers")
            if unusable.kind is not FailureKind.ADDRESS or self._addresses[-1] == address:
                raise unusable from None
            self._addresses = self._addresses[-1:]
            server.move(self._addresses[0])

    async def _opened(self) -> ModelServer:
        """Return the server; at the first call a thread imports its SDK."""
        async with self._opening:
            if self._server is None:
                connect = await asyncio.to_thread(_sdk)
                self._server = connect(self._key, self._addresses[0], self._seconds)
        return self._server


class _SilentClient(ModelClient):
    """Client for dry runs: it has the same settings, and every question ends the run."""

    def __init__(self, client: ModelClient, dry_run: DryRun) -> None:
        self.__dict__.update(client.__dict__)
        self._dry_run = dry_run

    async def _in_time(self, work: Callable[[], Awaitable[T]]) -> T:  # noqa: ARG002 - every way to the server
        self._dry_run.end_at(DryRunMsg.AI_ACTION)


class _Model(BaseModel):
    id: str


class _Models(BaseModel):
    data: list[_Model]


class _Transcription(BaseModel):
    text: str


def _sdk() -> Callable[[str, str, float], ModelServer]:
    """Import the SDK, which takes most of a second, and return the class that connects by key, address and seconds."""
    from ledgerkit.core.platform.ai.model.sdk import SdkServer  # noqa: PLC0415 - most servers never ask a model

    return SdkServer


def _completing(options: Mapping[str, Any]) -> Callable[[ModelServer], Awaitable[str]]:
    return lambda server: server.completion(options)


def _first_choice(body: str) -> ModelChoice:
    try:
        completion = Completion.model_validate_json(body)
    except ValidationError:
        raise ModelFailure(FailureKind.UNREADABLE, "the answer is no chat completion") from None
    if not completion.choices:
        raise ModelFailure(FailureKind.UNREADABLE, "the answer is empty")
    return completion.choices[0]


def addresses(base_url: str | None) -> tuple[str, ...]:
    """Return the addresses to try: `base_url` without an endpoint, and with `/v1` if it names no version."""
    if not base_url or not base_url.strip():
        return ()
    plain = _ENDPOINT.sub("", base_url.strip()).rstrip("/")
    return (plain,) if _VERSIONED.search(plain) else (plain, f"{plain}/v1")
