"""Faults and hostile input: what happens at every moment at which a build can fail, and to whatever is read.

Faults. A build into a folder that holds an older bundle is stopped at one moment after another: before each file is
opened for writing, each folder made, each name changed or removed (by a kill and by an error of the disk), and within
a write (a limit on the size of files). Each time the target must be the old bundle or the new one, whole; an error must
be one of ours; and the next build must leave the new bundle and nothing beside it.

Fuzzing. Sound files of every format are damaged at random (seeded) and read. Reading must give a run or results, or
an error of ours that names the file.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
from measuring.damage import SAMPLES, Sample
from msgspec.structs import replace

from reportgen.bundle import relative_files, replacing, write_bundle, write_files
from reportgen.contracts import load_contract
from reportgen.domain.record import Results
from reportgen.errors import OutputError, ReportgenError
from reportgen.evaluation import evaluate
from reportgen.inputs import read_run

ROOT = Path(__file__).resolve().parents[1]
_CHANGING = frozenset({"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink", "shutil.rmtree"})
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_DONE, _OUR_ERROR, _OTHER_ERROR = 0, 3, 4


class Moments:
    """Counts the moments at which this process is about to change something below a folder; acts at one of them."""

    def __init__(self, folder: Path, at: int, act: Callable[[], None]) -> None:
        self._folder, self._at, self._act = str(folder), at, act
        self.seen = 0
        sys.addaudithook(self._hook)

    def _hook(self, event: str, arguments: tuple[object, ...]) -> None:
        opens = event == "open" and isinstance(arguments[2], int) and arguments[2] & _WRITING
        if not (opens or event in _CHANGING):
            return
        if not str(arguments[0]).startswith(self._folder):
            return
        self.seen += 1
        if self.seen == self._at:
            self._act()


def _kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _disk_full() -> None:
    raise OSError(28, "No space left on device")


def build(results: Results, target: Path) -> None:
    write_bundle(results, target, formats=("md",))


def apart(action: Callable[[], int]) -> int:
    """Run in a process of its own, since neither hooks nor kills can be taken back; its exit code, −9 if killed."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        code = _OTHER_ERROR
        try:
            code = action()
        except OutputError:
            code = _OUR_ERROR
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def contents(directory: Path) -> dict[str, bytes]:
    return {name: (directory / name).read_bytes() for name in relative_files(directory)}


def count_moments(results: Results, target: Path) -> int:
    """The moments of a build over an older bundle."""
    reader, writer = os.pipe()

    def counted() -> int:
        moments = Moments(target.parent, 0, _kill)
        build(results, target)
        os.write(writer, str(moments.seen).encode())
        return _DONE

    if apart(counted) != _DONE:
        raise SystemExit("the build fails without a fault")
    return int(os.read(reader, 20))


def _built(results: Results, target: Path) -> int:
    build(results, target)
    return _DONE


def faults(results: Results, old: Results, folder: Path, every: int) -> Iterator[tuple[str, str]]:
    """Kind of fault and what came of it, for every ``every``-th moment and every kind."""
    target = folder / "v1"
    sound = {}
    for name, shown in (("old", old), ("new", results)):
        apart(partial(_built, shown, folder.parent / name))
        sound[name] = contents(folder.parent / name)
    shutil.copytree(folder.parent / "old", target)
    moments = count_moments(results, target)
    sizes = sorted({len(content) for content in sound["new"].values()})
    trials: list[tuple[str, Callable[[], int]]] = []
    for at in range(1, moments + 1, every):
        trials.append(("killed", partial(_stopped, results, target, at, _kill)))
        trials.append(("disk full", partial(_stopped, results, target, at, _disk_full)))
    trials += [("write cut off", partial(_cut_off, results, target, size)) for size in sizes[::every]]
    for kind, trial in trials:
        shutil.rmtree(folder)
        shutil.copytree(folder.parent / "old", target)
        yield kind, _judged(target, sound, apart(trial))


def _stopped(results: Results, target: Path, at: int, act: Callable[[], None]) -> int:
    Moments(target.parent, at, act)
    return _built(results, target)


def _cut_off(results: Results, target: Path, size: int) -> int:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (max(size - 1, 0), resource.RLIM_INFINITY))
    return _built(results, target)


def _judged(target: Path, sound: dict[str, dict[str, bytes]], code: int) -> str:
    if code not in (_DONE, _OUR_ERROR, -signal.SIGKILL):
        return "another error than ours"
    found = contents(target) if target.exists() else {}
    state = next((name for name, content in sound.items() if content == found), "half")
    if code == _DONE and state != "new":
        return "done, and not there"
    if apart(partial(_next, target, sound["new"])) != _DONE:
        return "the next build fails"
    if contents(target) != sound["new"] or [path.name for path in target.parent.iterdir()] != [target.name]:
        return "the next build leaves something"
    return f"{state} bundle"


def _next(target: Path, files: dict[str, bytes]) -> int:
    """The next build, of files that are ready."""
    with replacing(target) as staging:
        write_files(staging, files)
    return _DONE


def fuzz(sample: Sample, inputs: int, seed: int, folder: Path) -> Counter[str]:
    """How many damaged copies were read, refused with an error of ours, or ended otherwise."""
    rng = np.random.default_rng(seed)
    sample.read(sample.files, folder)  # a sample that is refused as it stands would test nothing
    outcomes: Counter[str] = Counter()
    for number in range(inputs):
        files = sample.damaged(rng)
        try:
            sample.read(files, folder)
            outcomes["read"] += 1
        except ReportgenError:
            outcomes["refused"] += 1
        except Exception as error:
            outcomes[f"ended by {type(error).__name__}"] += 1
            kept = Path(tempfile.mkdtemp(prefix=f"reportgen-fuzz-{number}-"))
            for name, content in files.items():
                (kept / name).write_bytes(content)
            print(f"{sample.name}: {type(error).__name__}: {error}: kept in {kept}", file=sys.stderr)
    return outcomes


def _showing(results: Results, tables: tuple[str, ...]) -> Results:
    presentation = replace(results.run.presentation, tables=tables)
    return replace(results, run=replace(results.run, presentation=presentation))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1, help="try every n-th moment only")
    parser.add_argument("--inputs", type=int, default=2_000, help="damaged inputs of each format")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tables", help="build bundles of these tables alone, by their names with commas between")
    chosen = parser.parse_args()
    run = read_run(ROOT / "sample_runs" / "tiny")
    old, new = (evaluate(run, load_contract(overrides={"resamples": n}), command="robustness", created=None).results
                for n in (20, 30))  # fmt: skip
    if chosen.tables:
        old, new = (_showing(results, tuple(chosen.tables.split(","))) for results in (old, new))
    outcome: dict[str, dict[str, int]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "target"
        folder.mkdir()
        for kind, came in faults(new, old, folder, chosen.every):
            outcome.setdefault(kind, {}).setdefault(came, 0)
            outcome[kind][came] += 1
        for sample in SAMPLES:
            where = Path(scratch) / sample.name.replace(" ", "-")
            where.mkdir()
            outcome[sample.name] = dict(fuzz(sample, chosen.inputs, chosen.seed, where))
    print(json.dumps(outcome, indent=1))


if __name__ == "__main__":
    main()
