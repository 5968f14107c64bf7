"""A small, sound run in five files; tests change one thing in it."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from reportgen.domain.run import Run
from reportgen.inputs import read_run

SOUND: dict[str, str] = {
    "queries.csv": (
        "query,cluster,label,fold,y_true,n_gold\nq1,c1,A,f1,1,1\nq2,c1,B,f1,0,0\nq3,c2,A,f2,1,2\nq10,c2,B,f2,0,0\n"
    ),
    "predictions.csv": (
        "query,system,y_prob,y_prob_raw,state,selected_k\n"
        "q1,a,0.9,0.8,POS,1\n"
        "q2,a,0.2,0.3,NEG,0\n"
        "q3,a,0.5,0.5,UNCERTAIN,2\n"
        "q10,a,0.1,0.2,NEG,1\n"
        "q1,b,0.7,0.7,UNCERTAIN,1\n"
        "q2,b,0.6,0.6,UNCERTAIN,1\n"
        "q3,b,1.0,1.0,POS,1\n"
        "q10,b,0.0,0.0,NEG,0\n"
    ),
    "thresholds.csv": (
        "system,fold,tau_neg,tau_pos,tau_f1\na,f1,0.3,0.8,0.5\na,f2,0.2,0.8,0.4\nb,f1,0.3,0.8,0.5\nb,f2,0.3,0.8,0.6\n"
    ),
    "candidates.csv": (
        "query,doc_id,position,relevance,score_a,score_b\n"
        "q1,d1,0,1,0.9,0.1\n"
        "q1,d2,1,0,0.5,0.1\n"
        "q2,d1,0,0,0.5,0.3\n"
        "q3,d1,0,1,0.2,0.4\n"
        "q3,d2,1,1,0.3,\n"
        "q10,d1,0,0,0.1,0.9\n"
    ),
    "tune_predictions.csv": (
        "query,system,model_fold,y_prob,y_true\nq3,a,f1,0.8,1\nq10,a,f1,0.3,0\nq1,a,f2,0.7,1\nq2,a,f2,0.4,0\n"
    ),
}


@pytest.fixture
def sound() -> dict[str, str]:
    return dict(SOUND)


@pytest.fixture
def folder(tmp_path: Path) -> Callable[[Mapping[str, str | bytes]], Path]:
    """Write files into a new run folder."""

    def write(files: Mapping[str, str | bytes]) -> Path:
        root = tmp_path / "run"
        for name, content in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return root

    return write


@pytest.fixture
def read(folder: Callable[[Mapping[str, str | bytes]], Path]) -> Callable[[Mapping[str, str | bytes]], Run]:
    """Write files into a new run folder and read it."""
    return lambda files: read_run(folder(files))
