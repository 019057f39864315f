"""A FastAPI application of one route that answers a constant: what the framework alone costs on this machine."""

import sys

import uvicorn
from fastapi import FastAPI

app = FastAPI()


@app.get("/")
async def constant() -> dict[str, str]:
    return {"status": "ok"}


if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_config=None, access_log=False, server_header=False)
