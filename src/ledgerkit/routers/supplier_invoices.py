"""/api/supplier-invoices."""

from fastapi import APIRouter

router = APIRouter(prefix="/api/supplier-invoices", tags=["Supplier invoices"])
