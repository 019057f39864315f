"""/api/catalog."""

from fastapi import APIRouter

router = APIRouter(prefix="/api/catalog", tags=["Catalog"])
