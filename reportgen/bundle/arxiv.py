"""The paper as arXiv takes it: sources, figures and the list of references in one archive, the same bytes each time."""

from __future__ import annotations

import gzip
import io
import re
import tarfile
from collections.abc import Mapping
from pathlib import Path

from reportgen.errors import Diagnostic, RenderError

NAME = "arxiv.tar.gz"
_TAKEN = (".tex", ".bbl", ".pdf")
"""What a paper is compiled from. Plotted data stay in the bundle, and the archive needs no .bib beside its .bbl."""
_PATH = re.compile(r"(?:[a-z0-9-]+/)?[a-z0-9-]+\.(?:tex|bbl|pdf)")
_LARGEST = 50_000_000
"""Bytes: what arXiv takes, unpacked, without asking."""


def arxiv_archive(paper: Path) -> bytes:
    """Pack a paper folder; the archive unpacks into the folder it is in, and holds no owner, date or absolute path.

    Raises:
        RenderError: RG599, a name is not portable or the files are larger than arXiv takes.
    """
    files = {
        path.relative_to(paper).as_posix(): path.read_bytes()
        for path in sorted(paper.rglob("*"))
        if path.is_file() and path.suffix in _TAKEN
    }
    _check(files)
    packed = io.BytesIO()
    # No date and no name of a file in the header: both would differ between two runs.
    with (
        gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0) as compressed,
        tarfile.open(fileobj=compressed, mode="w", format=tarfile.USTAR_FORMAT) as archive,
    ):
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(content), 0o644
            archive.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def _check(files: Mapping[str, bytes]) -> None:
    problems = [
        Diagnostic("RG599", NAME, f"the name {name!r} is not made of a-z, 0-9 and hyphens", "Rename the file.")
        for name in files
        if not _PATH.fullmatch(name)
    ]
    if (size := sum(map(len, files.values()))) > _LARGEST:
        what = f"its files have {size / 1e6:.0f} MB, more than {_LARGEST / 1e6:.0f} MB"
        problems.append(Diagnostic("RG599", NAME, what, "Show fewer figures: `show` in [figures] of run.toml."))
    if problems:
        raise RenderError(problems)
