"""HTTP to the model server, with a bound on what it may send."""

from collections.abc import AsyncIterator

import httpx2

from ledgerkit.core.platform.ai.model.failures import AnswerTooLongError

MAX_ANSWER_BYTES = 1 << 20
"""Size of an answer: `MAX_TOKENS` of text are some 20 KiB, lists of models some 100 KiB."""


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
    """Transport that breaks an answer off which is too long. Raises AnswerTooLongError while it is read."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        request.headers["Accept-Encoding"] = "identity"
        response = await super().handle_async_request(request)
        assert isinstance(response.stream, httpx2.AsyncByteStream)  # noqa: S101 - of an asynchronous transport
        response.stream = _Bounded(response.stream)
        return response
