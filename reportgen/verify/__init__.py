"""Whether a published bundle still says what its numbers say, and its numbers what its run says.

Nothing that is written in the bundle is taken on trust, its checksums least: they show that a file was changed, not
that it was right. So the bundle is made anew from its own metrics_master.json; a file that differs is read by a reader
of its format, and what it shows is named beside what the results give.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from reportgen.bundle import MASTER, PER_QUERY, SUMS, is_plain
from reportgen.consistency import errors_of, rechecked
from reportgen.domain.record import Results
from reportgen.errors import Diagnostic, OutputError, RenderError, ResultsError
from reportgen.results import encode, read_results
from reportgen.verify.artefacts import Artefacts, OtherRelease, formats_of, rebuild
from reportgen.verify.fault import Fault, Verification
from reportgen.verify.printed import printed_forms
from reportgen.verify.rerun import Rerun, extent_of, rerun_faults
from reportgen.verify.sums import FOREIGN, bundle_files, foreign_sums, sum_faults
from reportgen.version import __version__

__all__ = ["Fault", "Rerun", "Verification", "extent_of", "results_of", "verify"]


def results_of(directory: Path) -> Results:
    """Return the results of a bundle.

    Raises:
        OutputError: RG620 for a folder that is not a bundle.
        ResultsError: The metrics_master.json cannot be read.
    """
    if not _is_ours(directory):
        raise _no_bundle(directory)
    return read_results(directory / MASTER)


def verify(directory: Path, rerun: Rerun | None = None, *, jobs: int = 1) -> Verification:
    """Check a bundle: checksums, schema, relations, and every text of every file against the results.

    Args:
        directory: The bundle; nothing in it is changed, and links in it are not followed. Of a folder of another tool
            that brings checksums, these are checked.
        rerun: The run it was made from, evaluated again; its inputs, values and bytes are then compared too.
        jobs: Processes for making the bundle anew; changes nothing else.

    Raises:
        OutputError: RG620 for a folder that is not a bundle and brings no checksums.
    """
    if not _is_ours(directory):
        return _of_another_tool(directory)
    faults = list(sum_faults(directory)) if is_plain(directory / SUMS) else [Fault("RG622", SUMS, "is missing")]
    n_files = len(bundle_files(directory))
    checked = [f"{n_files:,} files were compared with {SUMS}."]
    try:
        if not is_plain(directory / MASTER):
            raise ResultsError(Diagnostic("RG401", MASTER, "is not a file of the bundle"))
        results = read_results(directory / MASTER)
    except ResultsError as error:
        faults += [Fault("RG623", MASTER, problem.message) for problem in error.problems]
        checked.append("No number could be checked, since the results cannot be read.")
        return Verification(n_files, 0, tuple(checked), tuple(faults))
    faults += [Fault(check.code, MASTER, check.message) for check in errors_of(rechecked(results))]
    faults += printed_forms(results, MASTER)
    n = len(results.results) + len(results.comparison_by_id) + len(results.group_differences)
    checked.append(f"{n:,} results were compared with one another, against the ranges of their metrics and against "
                   "their printed forms.")  # fmt: skip
    other = results.generator.version != __version__
    checked.append(_by_number(directory, results, faults) if other else _made_anew(directory, results, faults, jobs))
    if rerun is not None:
        faults += rerun_faults(directory, results, rerun, jobs, same_release=not other)
        checked.append("The run was evaluated again: inputs by their SHA-256, every value by the second "
                       f"implementation{'' if other else ', every file byte for byte'}.")  # fmt: skip
    elif (directory / PER_QUERY).exists():
        checked.append(f"{PER_QUERY} was compared with its checksum alone; its values need the run (--runs).")
    return Verification(n_files, n, tuple(checked), tuple(faults))


def _is_ours(directory: Path) -> bool:
    return directory.is_dir() and any((directory / name).is_file() for name in (SUMS, MASTER))


def _of_another_tool(directory: Path) -> Verification:
    """Check the checksums that another tool wrote; what its files show is not known."""
    listing = foreign_sums(directory) if directory.is_dir() else ""
    if not listing:
        raise _no_bundle(directory)
    n_files = len(bundle_files(directory)) - 1
    checked = (f"{n_files:,} files were compared with {listing}, which another tool wrote. "
               "No number could be checked, since there are no results of reportgen.",)  # fmt: skip
    return Verification(n_files, 0, checked, tuple(sum_faults(directory, listing)))


def _by_number(directory: Path, results: Results, faults: list[Fault]) -> str:
    """Check the files of another release by the numbers of the results, as :func:`_made_anew` does ours."""
    faults += OtherRelease(directory, results).faults()
    return (
        f"reportgen {results.generator.version} wrote the bundle, and this is {__version__}: its files were not made "
        "anew. Numbers of its HTML that are marked with a result were compared with that result, those of its tables "
        "against the results listed for them; figures, PDF, LaTeX and workbooks against their checksums alone."
    )


def _made_anew(directory: Path, results: Results, faults: list[Fault], jobs: int) -> str:
    """Compare with the bundle that the results give; add to the faults, and return what was done as a sentence."""
    if (directory / MASTER).read_bytes() != encode(results):
        faults.append(Fault("RG626", MASTER, "is not in the form in which it is written"))
    per_query = directory / PER_QUERY
    with TemporaryDirectory(prefix="reportgen-verify-") as scratch:
        rebuilt = Path(scratch) / "bundle"
        try:
            rebuild(directory, results, rebuilt, per_query.read_bytes() if is_plain(per_query) else None, jobs)
        except RenderError as error:
            faults += [Fault("RG623", MASTER, f"cannot be set: {problem.message}") for problem in error.problems]
            return "No artefact could be checked, since the results cannot be set."
        faults += Artefacts(directory, rebuilt, results, shown="RG625", form="RG626").faults()
    formats = ", ".join(formats_of(directory))
    return f"The artefacts ({formats}) were made anew from the results and compared, byte for byte."


def _no_bundle(directory: Path) -> OutputError:
    return OutputError(
        Diagnostic(
            "RG620",
            str(directory),
            "is not a bundle made by reportgen",
            f"Give the folder that 'reportgen build' wrote, or one with checksums: {', '.join(FOREIGN)}.",
        )
    )
