"""A build stopped at moments all over its course, and damaged files of every format: the benchmark, in small."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="stops processes by signals that Windows lacks")
def test_faults_leave_the_old_bundle_or_the_new_one_and_damage_ends_in_errors_of_ours() -> None:
    # Of few tables, so that more of the moments that follow them are tried.
    few = ["--tables", "main-results,comparisons,dataset", "--every", "4", "--inputs", "40", "--seed", "1"]
    command = [sys.executable, "benchmarks/robustness.py", *few]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    outcome = json.loads(done.stdout)
    faults = {kind: outcome.pop(kind) for kind in ("killed", "disk full", "write cut off")}
    for kind, found in faults.items():
        assert set(found) <= {"old bundle", "new bundle"}, kind
        assert sum(found.values()) > 1, kind
    assert len(outcome) == 7
    for sample, found in outcome.items():
        assert set(found) <= {"read", "refused"}, f"{sample}: {found}: {done.stderr}"
        assert sum(found.values()) == 40
