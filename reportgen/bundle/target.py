"""Whether a folder may be replaced: only an empty one, or a bundle of ours that nobody has touched since."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from reportgen.errors import OutputError, Problem

SUMS = "SHA256SUMS"
ARTIFACTS = "artifacts.json"

# What a desktop leaves in a folder by looking at it, and LaTeX by compiling the paper where it lies.
_DESKTOP = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})
_LIST = "paper/main.bbl"
"""The list of references, which is written with the paper; main.tex reads it, so that no BibTeX writes over it."""
_LATEX = (".aux", ".bbl", ".blg", ".fdb_latexmk", ".fls", ".lof", ".log", ".lot", ".nav", ".out", ".snm", ".toc")
_COMPILED = ("paper/main.pdf", "paper/main.synctex.gz")


def check_target(directory: Path) -> None:
    """Refuse a target that holds anything a user could miss.

    Raises:
        OutputError: RG602 for a file, or a folder that is no bundle of ours; RG603 for a bundle with files added or
            changed by hand.
    """
    with reported(directory):
        _check(directory)


def _check(directory: Path) -> None:
    if not directory.exists() or (directory.is_dir() and not any(directory.iterdir())):
        return
    if not is_bundle(directory):
        raise OutputError(
            Problem(
                "RG602",
                str(directory),
                "exists and is not a bundle made by reportgen",
                "A build replaces its target as a whole, so what is there now would be lost.",
                "Choose another place with -o, or move what is there.",
            )
        )
    if touched := _touched(directory):
        listed = ", ".join(touched[:5]) + (f" and {len(touched) - 5} more" if len(touched) > 5 else "")
        raise OutputError(
            Problem(
                "RG603",
                str(directory),
                f"holds files added or changed by hand: {listed}",
                "A build replaces its target as a whole, so this work would be lost.",
                "Move these files elsewhere, choose another place with -o, or delete the folder.",
            )
        )


def is_bundle(directory: Path) -> bool:
    """Whether the folder has the files that every bundle of ours ends with."""
    return all((directory / name).is_file() for name in (SUMS, ARTIFACTS, "metrics_master.json"))


def relative_files(directory: Path) -> list[str]:
    """All files of a folder as POSIX paths inside it, sorted."""
    return sorted(
        path.relative_to(directory).as_posix()
        for path in directory.rglob("*")
        if path.is_symlink() or not path.is_dir()
    )


def sha256(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _touched(directory: Path) -> list[str]:
    """Files that the bundle's checksums do not list, or list with another sum."""
    lines = (directory / SUMS).read_text(encoding="utf-8", errors="replace").splitlines()
    sums = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    return [
        name
        for name in relative_files(directory)
        if name != SUMS and not is_by_product(name) and not _is_as_recorded(directory / name, sums.get(name))
    ]


def _is_as_recorded(path: Path, digest: str | None) -> bool:
    """Whether it is the file that was written; links, pipes and devices never are, and are not opened."""
    return digest is not None and not path.is_symlink() and path.is_file() and sha256(path) == digest


def is_by_product(name: str) -> bool:
    """Whether a file is one that a desktop or LaTeX leaves in a bundle by using it."""
    return (
        name.rpartition("/")[2] in _DESKTOP
        or name in _COMPILED
        or (name.startswith("paper/") and name.endswith(_LATEX) and name != _LIST)
    )


@contextmanager
def reported(target: Path) -> Iterator[None]:
    """Turn a failure of the file system into an error that says where, what and what to do."""
    try:
        yield
    except OSError as error:
        raise OutputError(
            Problem(
                "RG600",
                str(target),
                f"cannot be written ({error.strerror or error})",
                "What was there before is unchanged.",
                "Check free space and write permission, or choose another place with -o.",
            )
        ) from error
