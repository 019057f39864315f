"""/api/tasks."""

from fastapi import APIRouter

router = APIRouter(prefix="/api/tasks", tags=["Tasks"])
