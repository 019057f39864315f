"""/api/cash-register."""

from fastapi import APIRouter

router = APIRouter(prefix="/api/cash-register", tags=["Cash register"])
