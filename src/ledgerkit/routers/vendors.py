"""/api/vendors."""

from fastapi import APIRouter

router = APIRouter(prefix="/api/vendors", tags=["Vendors"])
