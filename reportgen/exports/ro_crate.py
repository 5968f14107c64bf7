"""A research object: the numbers in a folder that says in RO-Crate's words what they are and where they come from.

Source: RO-Crate Metadata Specification 1.1.
"""

from __future__ import annotations

from reportgen.bundle import MASTER
from reportgen.bundle.provenance import NAME, ro_crate
from reportgen.domain.record import Results
from reportgen.errors import Diagnostic, RequestError
from reportgen.results import encode, to_csv

TITLE = "folder with the numbers and their provenance (RO-Crate: Zenodo, WorkflowHub)"


def export(results: Results, system: str | None) -> dict[str, bytes]:
    """Return the files of the folder.

    Raises RequestError (RG724) for one system, since provenance is of the evaluation.
    """
    if system is not None:
        raise RequestError(Diagnostic("RG724", "ro-crate", "speaks of all systems"))
    files = {MASTER: encode(results), "metrics_master.csv": to_csv(results).encode()}
    return {**files, NAME: ro_crate(results, list(files))}
