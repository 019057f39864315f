"""/api/context."""

from fastapi import APIRouter

router = APIRouter(prefix="/api/context", tags=["Context"])
