"""The model server by OpenAI's SDK, whose answers are bounded; importing the SDK takes most of a second."""

import ssl
from collections.abc import AsyncIterator, Awaitable, Mapping
from typing import Any, Protocol

import httpx2
from openai import (
    APIConnectionError,
    APIStatusError,
    APITimeoutError,
    AsyncOpenAI,
    BadRequestError,
    OpenAIError,
    UnprocessableEntityError,
)

from ledgerkit.core.platform.ai.model.failures import (
    AnswerTooLongError,
    FailureKind,
    ModelFailure,
    RefusedError,
    failure_of_status,
)


class _Answer(Protocol):
    @property
    def text(self) -> str: ...


class SdkServer:
    """`ModelServer` that asks by the SDK: each question once, for `seconds` at most."""

    def __init__(self, key: str, address: str, seconds: float) -> None:
        self._sdk = AsyncOpenAI(
            api_key=key or "not-needed",
            base_url=address,
            timeout=seconds,
            max_retries=0,
            http_client=httpx2.AsyncClient(transport=BoundedTransport(), timeout=seconds),
        )

    def move(self, address: str) -> None:
        self._sdk.base_url = address

    async def models(self) -> str:
        return await _body(self._sdk.models.with_raw_response.list())

    async def completion(self, options: Mapping[str, Any]) -> str:
        return await _body(self._sdk.chat.completions.with_raw_response.create(**options))

    async def transcription(self, model: str, sound: bytes, language: str) -> str:
        file = ("voice.ogg", sound, "audio/ogg")
        return await _body(
            self._sdk.audio.transcriptions.with_raw_response.create(model=model, file=file, language=language)
        )

    async def close(self) -> None:
        await self._sdk.close()


MAX_ANSWER_BYTES = 1 << 20
"""Largest answer in bytes. `MAX_TOKENS` of text are about 20 KiB, a list of models is about 100 KiB."""


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._stream:
            size += len(chunk)
            if size > MAX_ANSWER_BYTES:
                await self.aclose()
                raise AnswerTooLongError
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


class BoundedTransport(httpx2.AsyncHTTPTransport):
    """Transport that breaks off an answer that is too long. Raises AnswerTooLongError while the answer is read."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        request.headers["Accept-Encoding"] = "identity"
        response = await super().handle_async_request(request)
        assert isinstance(response.stream, httpx2.AsyncByteStream)  # noqa: S101 - of an asynchronous transport
        response.stream = _Bounded(response.stream)
        return response


async def _body(answer: Awaitable[_Answer]) -> str:
    """Return the body of an answer. Raises RefusedError and ModelFailure."""
    try:
        return (await answer).text
    except (BadRequestError, UnprocessableEntityError) as error:
        raise RefusedError(str(error)) from None
    except (OpenAIError, AnswerTooLongError) as error:
        raise _failure_of(error) from None
    except httpx2.HTTPError as error:
        raise ModelFailure(FailureKind.UNREACHABLE, type(error).__name__) from None


def _failure_of(error: Exception) -> ModelFailure:
    """Return the failure that an error of the SDK stands for. Raises any other error again."""
    if isinstance(error, APITimeoutError):
        return ModelFailure(FailureKind.TIMEOUT, "no answer in time")
    if isinstance(error, APIStatusError):
        return failure_of_status(error.status_code, error.response.headers.get("Retry-After"))
    causes = list(_causes(error))
    if any(isinstance(cause, AnswerTooLongError) for cause in causes):
        return ModelFailure(FailureKind.UNREADABLE, "the answer is too long")
    if any(isinstance(cause, ssl.SSLError) for cause in causes):
        return ModelFailure(FailureKind.TLS, "no secure connection: the certificate or the protocol is refused")
    if isinstance(error, APIConnectionError):
        return ModelFailure(FailureKind.UNREACHABLE, type(causes[-1]).__name__)
    raise error


def _causes(error: BaseException) -> list[BaseException]:
    causes, cause = [error], error.__cause__ or error.__context__
    while cause is not None and cause not in causes:
        causes.append(cause)
        cause = cause.__cause__ or cause.__context__
    return causes
