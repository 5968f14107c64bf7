"""A store that answers as S3 does: lists and gives objects to whoever has the key. It does not check signatures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

BUCKET = "bucket"
KEY = "reader"


@dataclass
class S3Store:
    """What the store has, and where it is."""

    objects: dict[str, bytes] = field(default_factory=dict)
    vanished: set[str] = field(default_factory=set)
    """Objects that are listed, and gone when they are read."""
    port: int = 0

    def put(self, folder: Path, base: str) -> None:
        """Put all files of a folder below a name."""
        for path in folder.rglob("*"):
            if path.is_file():
                self.objects[f"{base}/{path.relative_to(folder).as_posix()}"] = path.read_bytes()

    def address(self, base: str, bucket: str = BUCKET, key: str = KEY) -> str:
        """Return the address of what is below a name, for somebody with a key."""
        where = f"endpoint_override=127.0.0.1:{self.port}&scheme=http&region=us-east-1"
        return f"s3://{key}:secret@{bucket}/{base}?{where}"


@contextmanager
def s3_server() -> Iterator[S3Store]:
    """Give a store that answers on this machine, until the context ends."""
    store = S3Store()
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, store)) as server:
        store.port = server.server_port
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield store
        finally:
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    def __init__(self, store: S3Store, *args: object) -> None:
        self._store = store
        super().__init__(*args)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        """Answer ListObjectsV2 and GetObject."""
        url = urlsplit(self.path)
        bucket, _, key = unquote(url.path).lstrip("/").partition("/")
        if f"Credential={KEY}/" not in self.headers.get("Authorization", ""):
            self._error(403, "AccessDenied")
        elif bucket != BUCKET:
            self._error(404, "NoSuchBucket")
        elif not key:
            self._answer(200, self._listed(parse_qs(url.query).get("prefix", [""])[0]))
        elif key not in self._store.objects or key in self._store.vanished:
            self._error(404, "NoSuchKey")
        else:
            self._give(self._store.objects[key])

    do_HEAD = do_GET

    def _listed(self, prefix: str) -> bytes:
        own = {key: data for key, data in self._store.objects.items() if key.startswith(prefix)}
        files = {key: data for key, data in own.items() if "/" not in key[len(prefix) :]}
        folders = {prefix + key[len(prefix) :].partition("/")[0] + "/" for key in own.keys() - files.keys()}
        return _xml(
            "ListBucketResult",
            {"Name": BUCKET, "Prefix": prefix, "IsTruncated": "false"},
            "".join(
                f"<Contents><Key>{escape(key)}</Key><Size>{len(data)}</Size>"
                "<LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>"
                for key, data in sorted(files.items())
            )
            + "".join(f"<CommonPrefixes><Prefix>{escape(one)}</Prefix></CommonPrefixes>" for one in sorted(folders)),
        )

    def _give(self, data: bytes) -> None:
        begin, end, asked = 0, len(data) - 1, self.headers.get("Range")
        if asked:
            first, _, last = asked.removeprefix("bytes=").partition("-")
            begin, end = int(first), min(int(last or end), end)
        self._answer(206 if asked else 200, data[begin : end + 1], f"bytes {begin}-{end}/{len(data)}")

    def _error(self, status: int, code: str) -> None:
        self._answer(status, _xml("Error", {"Code": code, "Message": code}))

    def _answer(self, status: int, body: bytes, part: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT")
        if part:
            self.send_header("Content-Range", part)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def _xml(root: str, facts: Mapping[str, str], more: str = "") -> bytes:
    own = "".join(f"<{name}>{escape(value)}</{name}>" for name, value in facts.items())
    return f'<?xml version="1.0" encoding="UTF-8"?><{root}>{own}{more}</{root}>'.encode()
