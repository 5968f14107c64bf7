"""The directory handed to a paper: everything that is shown, with what it was made from and how to check it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reportgen.bundle.artifacts import artifact_index
from reportgen.bundle.arxiv import NAME as ARXIV
from reportgen.bundle.arxiv import arxiv_archive
from reportgen.bundle.manifest import MANIFEST, manifest_text
from reportgen.bundle.outputs import MASTER, make_outputs, staged
from reportgen.bundle.per_query import CSV_NAME, packed_csv, per_query_parquet, without_names
from reportgen.bundle.provenance import NAME as CRATE
from reportgen.bundle.provenance import ro_crate
from reportgen.bundle.target import (
    ARTIFACTS,
    SUMS,
    check_target,
    is_by_product,
    is_plain,
    relative_files,
    replacing,
    sha256,
    write_file,
    write_files,
)
from reportgen.bundle.theme_choice import ThemeRequest, choose_theme, resolve_theme, theme_files, with_report
from reportgen.errors import Diagnostic
from reportgen.formats import Format, chosen
from reportgen.query_values import NAME as PER_QUERY

if TYPE_CHECKING:
    from reportgen.domain.record import Results
    from reportgen.render.themes import Theme

OF_QUERIES = frozenset((PER_QUERY, CSV_NAME))
"""The files of the values per query, which results alone do not give."""

__all__ = [
    "ARTIFACTS",
    "ARXIV",
    "MANIFEST",
    "MASTER",
    "OF_QUERIES",
    "PER_QUERY",
    "SUMS",
    "ThemeRequest",
    "Written",
    "check_target",
    "choose_theme",
    "is_by_product",
    "is_plain",
    "per_query_parquet",
    "relative_files",
    "replacing",
    "resolve_theme",
    "sha256",
    "with_report",
    "without_names",
    "write_bundle",
    "write_file",
    "write_files",
]


@dataclass(frozen=True, slots=True)
class Written:
    """A bundle that was written: its folder, its files (POSIX paths inside it, sorted) and their size in bytes.

    ``notes`` says what could not be shown as it is, such as characters that the fonts of a figure lack.
    """

    directory: Path
    files: tuple[str, ...]
    size: int
    notes: tuple[str, ...] = ()
    lacking: tuple[Diagnostic, ...] = ()
    """Why formats that were asked for, or figures, are left out: something is missing here, or a renderer stopped."""


def write_bundle(
    results: Results,
    directory: Path,
    *,
    per_query: Mapping[str, Any] | bytes | None = None,
    theme: Theme | None = None,
    formats: Iterable[str] | None = None,
    arxiv: bool = False,
    jobs: int = 1,
    progress: Callable[[str, float], None] = lambda output, share: None,
) -> Written:
    """Write the bundle of some results; an older bundle in its place is replaced as a whole, at the end.

    Args:
        results: What is shown.
        directory: The target; absent, empty, or an untouched bundle of ours.
        per_query: The columns of per_query.parquet, or its bytes when taken over from another bundle; None where the
            results do not come from a run.
        theme: The theme that the results name, as :func:`choose_theme` gives both; of a shipped one the name will do.
        formats: Which of :func:`reportgen.formats.formats` to make; the default ones if omitted. One that this machine
            lacks something for, or whose renderer stops, is left out, and :attr:`Written.lacking` says what.
        arxiv: Whether to pack the LaTeX paper, which must be among the formats, for arXiv as well.
        jobs: How many processes to use; changes no byte.
        progress: Called with the name of each output and the share done: 0.0 when it begins, 1.0 when it is done.

    Raises:
        OutputError: RG600 the place cannot be written, RG601 another build writes it, RG602 and RG603 it holds
            something else, RG604 an unknown format.
        RenderError: A table, figure or document cannot be set; RG599, the paper cannot be packed for arXiv.
    """
    asked = [(one, one.lacking()) for one in chosen(formats)]
    wanted = tuple(one for one, missing in asked if missing is None)
    with replacing(directory) as staging:
        _write_numbers(results, staging, per_query)
        for name, content in (theme_files(theme) if theme else {}).items():
            (staging / name).parent.mkdir(parents=True, exist_ok=True)
            (staging / name).write_bytes(content)
        try:
            warned, lost = make_outputs(staging, wanted, jobs, progress)
            wanted = tuple(one for one in wanted if one.name not in lost)
            if arxiv and (staging / "paper").is_dir():
                (staging / ARXIV).write_bytes(arxiv_archive(staging / "paper"))
            _write_evidence(results, staging, wanted)
        finally:
            staged.cache_clear()
        files = relative_files(staging)
        size = sum((staging / name).stat().st_size for name in files)
    lacking = [missing for _, missing in asked if missing is not None]
    return Written(directory, tuple(files), size, warned, (*lacking, *dict.fromkeys(lost.values())))


def _write_numbers(results: Results, staging: Path, per_query: Mapping[str, Any] | bytes | None) -> None:
    from reportgen.results import encode, to_csv

    (staging / MASTER).write_bytes(encode(results))
    (staging / "metrics_master.csv").write_bytes(to_csv(results).encode())
    if per_query is not None:
        content = per_query if isinstance(per_query, bytes) else per_query_parquet(per_query)
        (staging / PER_QUERY).write_bytes(content)
        (staging / CSV_NAME).write_bytes(packed_csv(per_query))


def _write_evidence(results: Results, staging: Path, wanted: Sequence[Format]) -> None:
    """Write MANIFEST.md, the provenance, artifacts.json and, last, the sums of everything."""
    made = relative_files(staging)
    everything = sorted([*made, MANIFEST, CRATE, ARTIFACTS, SUMS])
    (staging / MANIFEST).write_bytes(manifest_text(results, everything, wanted).encode())
    (staging / CRATE).write_bytes(ro_crate(results, [name for name in everything if name != CRATE]))
    (staging / ARTIFACTS).write_bytes(artifact_index(staged(staging), made, wanted))
    sums = "".join(f"{sha256(staging / name)}  {name}\n" for name in relative_files(staging))
    (staging / SUMS).write_bytes(sums.encode())
