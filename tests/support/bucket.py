"""A small server that speaks the part of S3's language that the store uses, in a thread of its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape


class Bucket(ThreadingHTTPServer):
    """`objects` by key; `broken` answers everything with 500."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.objects: dict[str, tuple[bytes, datetime]] = {}
        self.broken = False

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Bucket
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_PUT(self) -> None:
        content = self.rfile.read(int(self.headers["content-length"]))
        self._answer(200, ETag='"x"') if self._store(content) else self._answer(500)

    def do_HEAD(self) -> None:
        self._object(with_content=False)

    def do_GET(self) -> None:
        query = parse_qs(urlsplit(self.path).query)
        self._list(query["prefix"][0]) if "list-type" in query else self._object(with_content=True)

    def do_DELETE(self) -> None:
        self.server.objects.pop(self._key(), None)
        self._answer(204)

    def do_POST(self) -> None:
        """Delete several (POST ?delete), as clients do that delete in bulk."""
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        keys = [part.partition("</Key>")[0] for part in body.split("<Key>")[1:]]
        for key in keys:
            self.server.objects.pop(key, None)
        deleted = "".join(f"<Deleted><Key>{escape(key)}</Key></Deleted>" for key in keys)
        self._answer(200, f"<DeleteResult>{deleted}</DeleteResult>".encode())

    def _store(self, content: bytes) -> bool:
        if not self.server.broken:
            self.server.objects[self._key()] = (content, datetime.now(UTC))
        return not self.server.broken

    def _key(self) -> str:
        return unquote(urlsplit(self.path).path).partition("/")[2].partition("/")[2]

    def _object(self, *, with_content: bool) -> None:
        if self.server.broken:
            return self._answer(500)
        if self._key() not in self.server.objects:
            return self._answer(404)
        content, written_at = self.server.objects[self._key()]
        modified = written_at.strftime("%a, %d %b %Y %H:%M:%S GMT")
        headers = {"Last-Modified": modified, "ETag": '"x"', "Accept-Ranges": "bytes"}
        return self._answer(200, content, with_content=with_content, **headers)

    def _list(self, prefix: str) -> None:
        if self.server.broken:
            return self._answer(500)
        items = "".join(
            f"<Contents><Key>{escape(key)}</Key><LastModified>{written_at.strftime('%Y-%m-%dT%H:%M:%S.000Z')}"
            f"</LastModified><ETag>&quot;x&quot;</ETag><Size>{len(content)}</Size></Contents>"
            for key, (content, written_at) in sorted(self.server.objects.items())
            if key.startswith(prefix)
        )
        return self._answer(
            200, f"<ListBucketResult><IsTruncated>false</IsTruncated>{items}</ListBucketResult>".encode()
        )

    def _answer(self, status: int, content: bytes = b"", *, with_content: bool = True, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if with_content:
            self.wfile.write(content)


@contextmanager
def bucket() -> Iterator[Bucket]:
    with Bucket() as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
