"""Chats whose turn it is: each is served by one worker at a time, and all of them in rounds."""

import asyncio


class ChatQueue:
    """Queue of chats. A chat that is added while it is served comes again, after the others."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[str] = asyncio.Queue()
        self._waiting: set[str] = set()
        self._served: set[str] = set()

    def add(self, chat: str) -> None:
        """Let a chat be served; nothing where it waits already."""
        if chat not in self._waiting:
            self._waiting.add(chat)
            if chat not in self._served:
                self._queue.put_nowait(chat)

    async def take(self) -> str:
        """Return the chat that has waited longest. The caller says `done` afterwards."""
        chat = await self._queue.get()
        self._waiting.discard(chat)
        self._served.add(chat)
        return chat

    def done(self, chat: str) -> None:
        """Note that a chat was served; it comes again if it was added meanwhile."""
        self._served.discard(chat)
        if chat in self._waiting:
            self._queue.put_nowait(chat)
