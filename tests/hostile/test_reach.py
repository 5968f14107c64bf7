"""What the package can reach: no network, no other program, nothing that a run folder brings along is executed."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted((ROOT / "reportgen").rglob("*.py"))
CALLS = {"eval", "exec", "compile", "__import__"}
LIBRARIES = {"pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib", "socket", "http", "requests", "httpx",
             "ftplib", "smtplib", "telnetlib", "xmlrpc", "aiohttp"}  # fmt: skip

WATCHED = """
import json, sys
reached = []
def watch(event, arguments):
    if event.startswith(("socket.", "subprocess.", "urllib.", "http.client", "ftplib.", "smtplib.", "pickle.")) or (
        event in ("os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.startfile", "webbrowser.open")
    ):
        reached.append([event, str(arguments)])
    if event == "import" and str(arguments[1] or "").startswith(sys.argv[1]):
        reached.append([event, str(arguments[1])])
sys.addaudithook(watch)
from reportgen.cli import main
try:
    main(sys.argv[2:], standalone_mode=False)
finally:
    print(json.dumps(reached), file=sys.stderr)
"""


def test_no_module_evaluates_text_unpickles_or_opens_connections() -> None:
    found = []
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CALLS:
                found.append(f"{path}: {node.func.id}")
            elif isinstance(node, ast.Import):
                names = {name.name.partition(".")[0] for name in node.names}
                found += [f"{path}: {name}" for name in names & LIBRARIES]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                name = (node.module or "").partition(".")[0]
                found += [f"{path}: {name}"] * (name in LIBRARIES)
    # Tasks for the workers of a Dask cluster, which Dask pickles in any case; no file is read by it.
    assert found == [f"{ROOT / 'reportgen' / 'dask_workers.py'}: pickle"]


@pytest.mark.slow
def test_a_build_opens_no_connection_starts_no_program_and_runs_nothing_of_the_run_folder(
    tmp_path: Path, tiny: Path
) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    for file in tiny.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    for name in ("conftest.py", "sitecustomize.py", "numpy.py", "run.py", "matplotlibrc", "click.py"):
        (folder / name).write_text("raise SystemExit('executed')\n")
    command = [sys.executable, "-c", WATCHED, str(folder), "build", str(folder), "-o", str(tmp_path / "out"),
               "--resamples", "20", "--jobs", "1", "--formats", "html,md,csv"]  # fmt: skip
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert json.loads(done.stderr.splitlines()[-1]) == []
    assert (tmp_path / "out" / "report.html").is_file()
