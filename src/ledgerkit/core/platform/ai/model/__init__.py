"""Extraction of structured data by a model, on any server that speaks OpenAI's chat completions."""

from ledgerkit.core.platform.ai.model.answers import ModelMessage, ToolCall
from ledgerkit.core.platform.ai.model.client import Extraction, ModelClient
from ledgerkit.core.platform.ai.model.failures import FailureKind, ModelFailure, not_configured

__all__ = ["Extraction", "FailureKind", "ModelClient", "ModelFailure", "ModelMessage", "ToolCall", "not_configured"]
