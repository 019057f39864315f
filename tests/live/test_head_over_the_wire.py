"""HEAD over real connections: nothing follows the headers, so the next answer begins where it should."""

import httpx2

from support.api import Api
from support.serving import served

TAX_ID = "12345678Z"


async def test_answers_follow_one_another_on_one_connection(tmp_path, fresh_urls):
    one_connection = httpx2.Limits(max_connections=1)
    async with (
        served(tmp_path / "data", DATABASE_URL=fresh_urls.owner) as server,
        httpx2.AsyncClient(base_url=server.url, timeout=60, limits=one_connection) as client,
    ):
        ana = await Api.with_team(client, "ana@example.com", "Ana", TAX_ID)
        invoice = await ana.invoice()
        paths = ("/health", "/api/invoices", f"/api/invoices/{invoice['id']}/pdf", "/api/catalog/export")

        for path in (*paths, *paths):
            head = await client.head(path, headers=ana.headers)
            get = await client.get(path, headers=ana.headers)

            assert (head.status_code, head.content) == (200, b"")
            assert head.headers["content-length"] == get.headers["content-length"] == str(len(get.content))
