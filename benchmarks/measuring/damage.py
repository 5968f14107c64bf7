"""Sound files of every format that is read, and the ways in which they are damaged."""

from __future__ import annotations

import gzip
import io
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow.csv
import pyarrow.parquet

from reportgen.contracts import load_contract
from reportgen.evaluation import evaluate
from reportgen.inputs import read_run
from reportgen.results import decode, encode

_TINY = Path(__file__).resolve().parents[2] / "sample_runs" / "tiny"
_TOKENS = (b"", b"0", b"-1", b"1e999", b"nan", b"inf", b'"', b"'", b",", b"\t", b"|", b"\n", b"\r", b"\0", b"\xff",
           b"\xef\xbb\xbf", b"\xed\xa0\x80", b"[" * 300, b"{", b"}", b"null", b"true", b"=1+1", b"../../etc/passwd",
           b"9" * 400, "\u202e\u2028é".encode())  # fmt: skip
_MOST_CHANGES = 4
_LONGEST = 40
"""Bytes of the longest part that is lost, put in twice or written over."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Sound files, which of them are damaged, and what reads them."""

    name: str
    files: Mapping[str, bytes]
    damage: Sequence[str]
    reader: Callable[[Mapping[str, bytes], Path], object]

    def damaged(self, rng: np.random.Generator) -> dict[str, bytes]:
        """The files, one to four changes in one of those to be damaged."""
        name = str(rng.choice(list(self.damage)))
        content = self.files[name]
        for _ in range(int(rng.integers(1, _MOST_CHANGES + 1))):
            content = _changed(content, rng)
        return {**self.files, name: content}

    def read(self, files: Mapping[str, bytes], folder: Path) -> None:
        """Read them in a folder that is emptied before."""
        self.reader(files, folder)


def _changed(content: bytes, rng: np.random.Generator) -> bytes:
    at = int(rng.integers(len(content) + 1))
    to = min(at + int(rng.integers(1, _LONGEST)), len(content))
    token = _TOKENS[int(rng.integers(len(_TOKENS)))]
    match int(rng.integers(11)) // 2:
        case 0:  # another byte
            return content[:at] + rng.bytes(1) + content[at + 1 :]
        case 1:  # a token
            return content[:at] + token + content[at:]
        case 2:  # a token in place of a few bytes
            return content[:at] + token + content[to:]
        case 3:  # a part is lost
            return content[:at] + content[to:]
        case 4:  # a part stands twice
            return content[:to] + content[at:]
        case _:  # the rest is lost
            return content[:at]


def _run_folder(files: Mapping[str, bytes], folder: Path) -> object:
    shutil.rmtree(folder)
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return read_run(folder)


def _results(files: Mapping[str, bytes], folder: Path) -> object:
    return decode(files["metrics_master.json"], folder / "metrics_master.json")


def _samples() -> tuple[Sample, ...]:
    table, toml = (_TINY / "per_query.csv").read_bytes(), (_TINY / "run.toml").read_bytes()
    frame = pyarrow.csv.read_csv(io.BytesIO(table))
    parquet = io.BytesIO()
    pyarrow.parquet.write_table(frame, parquet)
    lines = "".join(json.dumps(row) + "\n" for row in frame.to_pylist()).encode()
    trec = {
        "qrels.txt": b"".join(b"q%d 0 d%d %d\n" % (q, d, d % 3 == 0) for q in range(5) for d in range(6)),
        "bm25.run": b"".join(
            b"q%d Q0 d%d %d %.2f bm25\n" % (q, d, d + 1, 1 / (d + 1)) for q in range(5) for d in range(6)
        ),
    }
    results = encode(evaluate(read_run(_TINY), load_contract(overrides={"resamples": 20}), command="fuzz").results)

    def changed(name: str) -> bytes:
        return toml.replace(b"per_query.csv", name.encode())

    packed = gzip.compress(table, mtime=0)
    return (
        Sample("CSV", {"per_query.csv": table, "run.toml": toml}, ["per_query.csv"], _run_folder),
        Sample("gzipped CSV", {"per_query.csv.gz": packed, "run.toml": changed("per_query.csv.gz")},
               ["per_query.csv.gz"], _run_folder),
        Sample("Parquet", {"per_query.parquet": parquet.getvalue(), "run.toml": changed("per_query.parquet")},
               ["per_query.parquet"], _run_folder),
        Sample("JSON Lines", {"per_query.jsonl": lines, "run.toml": changed("per_query.jsonl")}, ["per_query.jsonl"],
               _run_folder),
        Sample("TREC", trec, ["qrels.txt", "bm25.run"], _run_folder),
        Sample("run.toml", {"per_query.csv": table, "run.toml": toml}, ["run.toml"], _run_folder),
        Sample("metrics_master.json", {"metrics_master.json": results}, ["metrics_master.json"], _results),
    )  # fmt: skip


SAMPLES = _samples()
