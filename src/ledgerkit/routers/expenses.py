"""/api/expenses."""

from fastapi import APIRouter

router = APIRouter(prefix="/api/expenses", tags=["Expenses"])
