"""Port of the second layer of language: a model that reads and proposes with the tools of the MCP server."""

from abc import ABC, abstractmethod

from ledgerkit.core.messaging.conversation.turn import Turn


class Assistant(ABC):
    """Service of the running server where a model is set up."""

    @abstractmethod
    async def answer(self, turn: Turn) -> bool:
        """Answer the words of a turn, and show what was proposed; False where the model is not asked or fails."""
