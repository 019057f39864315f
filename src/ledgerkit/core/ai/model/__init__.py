"""Extraction of structured data by a model, on any server that speaks OpenAI's chat completions."""

from ledgerkit.core.ai.model.client import Extraction, ModelClient
from ledgerkit.core.ai.model.failures import FailureKind, ModelFailure, not_configured

__all__ = ["Extraction", "FailureKind", "ModelClient", "ModelFailure", "not_configured"]
