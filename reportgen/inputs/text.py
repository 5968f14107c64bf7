"""The bytes of a text file as clean text: unpacked, strict UTF-8, without a byte order mark."""

from __future__ import annotations

import gzip
import io
import zlib

from reportgen.errors import ProblemList

MAX_BYTES = 2**31 - 2
"""Largest unpacked size of one input file (2 GiB): a small hostile file must not fill the memory."""
HEAD_BYTES = 2**17
"""Bytes of a file in which its first lines are looked for."""
_HEAD_LINES = 50
_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_GZIP = b"\x1f\x8b"


def clean_text(data: bytes, where: str, problems: ProblemList) -> bytes | None:
    """Return the text of a file as UTF-8, gzip undone; None after recording that it is unreadable or empty.

    UTF-16 is known by its byte order mark.
    """
    text = _unpacked(data, where, problems)
    text = _from_utf16(text) if text is not None else None
    if text is None or not _is_utf8(text, where, problems):
        return None
    while text.startswith(_BOM):  # a file that was saved as UTF-8 twice has two
        text = text.removeprefix(_BOM)
    if (at := text.find(b"\0")) >= 0:
        line = text.count(b"\n", 0, at) + 1
        why = "no text holds one; the file may be UTF-16, or was cut when its disk was full"
        problems.add("RG104", where, f"a NUL byte in line {line}: {why}")
        return None
    if text.strip():
        return text
    problems.add("RG105", where, "the file is empty")
    return None


def head_lines(data: bytes) -> list[bytes]:
    """Return the first whole lines of a file, by its first bytes, gzip undone; none of what cannot be unpacked."""
    if data.startswith(_GZIP):
        try:
            data = zlib.decompressobj(wbits=31).decompress(data[:HEAD_BYTES], HEAD_BYTES)
        except zlib.error:
            return []
    text = _from_utf16(data[: HEAD_BYTES - HEAD_BYTES % 2])
    lines = text.removeprefix(_BOM).splitlines()
    return lines[: min(_HEAD_LINES, len(lines) - (len(data) >= HEAD_BYTES))]


def _unpacked(data: bytes, where: str, problems: ProblemList) -> bytes | None:
    if not data.startswith(_GZIP):
        return data
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            text = file.read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        problems.add("RG103", where, f"the file is not readable as gzip: {error}")
        return None
    if len(text) > MAX_BYTES:
        what = f"the file unpacks to more than {MAX_BYTES:,} bytes"
        problems.add("RG108", where, f"{what}; so much text is not read", "Leave out columns, or use Parquet.")
        return None
    return text


def _from_utf16(text: bytes) -> bytes:
    """Return UTF-16 with a byte order mark, as Excel saves "Unicode text", as UTF-8; other bytes as they are."""
    if not text.startswith(_UTF16):
        return text
    try:
        return text.decode("utf-16").encode()
    except UnicodeDecodeError:
        return text


def _is_utf8(text: bytes, where: str, problems: ProblemList) -> bool:
    try:
        text.decode("utf-8")
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        column = error.start - (text.rfind(b"\n", 0, error.start) + 1) + 1
        problems.add(
            "RG104", where, f"not UTF-8: byte 0x{text[error.start]:02X} in line {line}, byte {column} of the line"
        )
        return False
    return True
