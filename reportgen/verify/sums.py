"""The files of a bundle against their checksums."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from reportgen.bundle import is_by_product, relative_files, sha256
from reportgen.verify.fault import Fault

SUMS = "SHA256SUMS"
_LINE = re.compile(r"([0-9a-f]{64})  (.+)")


def sums(directory: Path) -> tuple[Fault, ...]:
    """Files that were changed, taken away or added since SHA256SUMS was written; links are never opened.

    What a desktop or LaTeX leaves in a folder is not counted.
    """
    return tuple(_faults(directory))


def bundle_files(directory: Path) -> list[str]:
    """The files of a bundle, without what a desktop or LaTeX left among them."""
    return [name for name in relative_files(directory) if not is_by_product(name)]


def is_plain(path: Path) -> bool:
    """Whether it is a file of its own: no link, which may lead anywhere, no pipe and no device."""
    return path.is_file() and not path.is_symlink()


def _faults(directory: Path) -> Iterator[Fault]:
    recorded: dict[str, str] = {}
    text = (directory / SUMS).read_text(encoding="utf-8", errors="replace")
    for number, line in enumerate(text.splitlines(), 1):
        if (found := _LINE.fullmatch(line)) is None:
            yield Fault("RG621", SUMS, "is not a line of checksums", f"line {number}", shown=line[:200])
        elif found[2] in recorded:
            yield Fault("RG621", SUMS, f"{found[2]} stands twice", f"line {number}", shown=line)
        else:
            recorded[found[2]] = found[1]
    present = [name for name in bundle_files(directory) if name != SUMS]
    for name in present:
        if not is_plain(directory / name):
            yield Fault("RG622", name, "is a link, a pipe or a device, not a file of the bundle")
        elif name not in recorded:
            yield Fault("RG622", name, "is not listed in SHA256SUMS")
        elif (now := sha256(directory / name)) != recorded[name]:
            yield Fault("RG621", name, "was changed after its checksum was taken", shown=now, expected=recorded[name])
    for name in sorted(recorded.keys() - set(present)):
        yield Fault("RG622", name, "is listed in SHA256SUMS, and missing")
