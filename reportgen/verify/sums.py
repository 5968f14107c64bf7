"""The files of a folder against the checksums that it brings: of a bundle of ours, or of another tool."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from reportgen.bundle import SUMS, is_by_product, is_plain, relative_files
from reportgen.verify.fault import Fault

FOREIGN = ("checksums.txt", "checksums.sha256", "sha256sums.txt", "SHA512SUMS", "SHA1SUMS", "MD5SUMS")
"""Names under which other tools write checksums."""
_LINE = re.compile(r"\\?(?P<digest>[0-9a-fA-F]{32,128}) [ *](?P<name>.+)")
"""A line of sha256sum and the like. Source: coreutils manual, "cksum output modes"."""
_TAGGED = re.compile(r"(?P<kind>[A-Z0-9]+) \((?P<name>.+)\) = (?P<digest>[0-9a-fA-F]{32,128})")
"""A line of ``cksum --tag`` and BSD."""
_KINDS = {32: "md5", 40: "sha1", 56: "sha224", 64: "sha256", 96: "sha384", 128: "sha512"}
"""Hexadecimal digits of a sum to the function that gives it."""


def bundle_files(directory: Path) -> list[str]:
    """Return the files of a bundle, without what a desktop or LaTeX left among them."""
    return [name for name in relative_files(directory) if not is_by_product(name)]


def foreign_sums(directory: Path) -> str:
    """Return the name of the file of checksums of a folder that is not a bundle of ours; empty where it lacks one."""
    return next((name for name in FOREIGN if is_plain(directory / name)), "")


def sum_faults(directory: Path, listing: str = SUMS) -> Iterator[Fault]:
    """Find files that were changed or taken away since their checksums were written; links are never opened.

    In a bundle of ours every file is listed, so one that is not was added. Another tool may list some files only.
    """
    recorded: dict[str, str] = {}
    text = (directory / listing).read_text(encoding="utf-8", errors="replace")
    for number, line in enumerate(text.splitlines(), 1):
        found = _LINE.fullmatch(line) or _TAGGED.fullmatch(line)
        if found is None or len(found["digest"]) not in ((64,) if listing == SUMS else _KINDS):
            if listing == SUMS or (line.strip() and not line.startswith("#")):
                yield Fault("RG621", listing, "is not a line of checksums", f"line {number}", shown=line[:200])
            continue
        name = found["name"].removeprefix("./")
        if name in recorded:
            yield Fault("RG621", listing, f"{name} stands twice", f"line {number}", shown=line)
        else:
            recorded[name] = found["digest"].lower()
    here = [name for name in bundle_files(directory) if name != listing]
    for name in here:
        if not is_plain(directory / name):
            yield Fault("RG622", name, "is a link, a pipe or a device, not a file of the bundle")
        elif name not in recorded:
            if listing == SUMS:
                yield Fault("RG622", name, f"is not listed in {listing}")
        elif (now := _digest(directory / name, recorded[name])) != recorded[name]:
            yield Fault("RG621", name, "was changed after its checksum was taken", shown=now, expected=recorded[name])
    for name in sorted(recorded.keys() - set(here)):
        outside = PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts
        what = "is outside the folder, and was not read" if outside else "and missing"
        yield Fault("RG622", name, f"is listed in {listing}, {what}")


def _digest(path: Path, recorded: str) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, _KINDS[len(recorded)]).hexdigest()
