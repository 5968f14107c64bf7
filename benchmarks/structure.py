"""How large and how tangled the package is: lines, names, import circles, and the way of one number.

The way of one number is what runs when ``nDCG@10`` of one system is computed from files with 200 resamples and written
to ``metrics_master.json``: the functions of the package that are called, and the files that they are in.

    python benchmarks/structure.py [RUN]
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from reportgen.contracts import load_contract
from reportgen.evaluation import evaluate
from reportgen.inputs import read_run
from reportgen.results import encode

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "reportgen"


def main() -> None:
    """Print one line for each measure."""
    run = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "sample_runs" / "tiny"
    paths = sorted(PACKAGE.rglob("*.py"))
    trees = {module_of(path): ast.parse(path.read_text(encoding="utf-8")) for path in paths}
    nodes = [node for tree in trees.values() for node in ast.walk(tree)]
    classes = Counter(node.name for node in nodes if isinstance(node, ast.ClassDef))
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    n_lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in paths)
    print(f"lines                                 {n_lines:7,}")
    print(f"files                                 {len(paths):7,}")
    print(f"functions                             {len(functions):7,}")
    print(f"classes                               {classes.total():7,}")
    print(f"class names of more than one class    {sum(n > 1 for n in classes.values()):7,}")
    circles = circles_of(trees)
    print(f"circles of imports                    {len(circles):7,}")
    for circle in circles:
        print("   ", " ↔ ".join(circle))
    for step, called in way_of_one_number(run).items():
        files = {code.co_filename for code in called}
        print(f"way of one number, {step:18} {len(called):4,} functions in {len(files):3,} files")


def module_of(path: Path) -> str:
    """Return the dotted name of a module of the package."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def circles_of(trees: dict[str, ast.Module]) -> list[list[str]]:
    """Return the groups of modules that import each other, at the top of the file or later, in order of name."""
    edges = {name: set(imported(name, tree, trees)) - {name} for name, tree in trees.items()}
    found: list[list[str]] = []
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for other in edges[name]:
            if other not in index:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], index[other])
        if low[name] == index[name]:
            at = stack.index(name)
            group, stack[at:] = stack[at:], []
            if len(group) > 1:
                found.append(sorted(group))

    sys.setrecursionlimit(10_000)
    for name in edges:
        if name not in index:
            visit(name)
    return sorted(found)


def imported(name: str, tree: ast.Module, modules: dict[str, ast.Module]) -> Iterator[str]:
    """Yield the modules of the package that a module imports, those for type checking included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom) and node.module in modules:
            longer = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (one if one in modules else node.module for one in longer)


def way_of_one_number(run: Path) -> dict[str, set[CodeType]]:
    """Return, for each step and for all together, the functions of the package that run."""
    contract = load_contract("field-standard")
    contract = replace(
        contract,
        metrics=("ndcg@10",),
        headline=("ndcg@10",),
        primary=(),
        targets=(),
        conventions={**contract.conventions, "resamples": 200},
    )
    steps: dict[str, set[CodeType]] = {}
    loaded = traced(steps, "read", lambda: read_run(run))
    one = replace(loaded, systems=loaded.systems[:1])
    results = traced(steps, "evaluate", lambda: evaluate(one, contract, command="evaluate"))
    traced(steps, "write", lambda: encode(results.results))
    steps["all"] = set().union(*steps.values())
    return steps


def traced(steps: dict[str, set[CodeType]], name: str, call: Callable[[], Any]) -> Any:
    """Return what a call returns, and note the functions of the package that it ran."""
    found = steps.setdefault(name, set())

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(PACKAGE)) and not code.co_name.startswith("<"):
            found.add(code)

    sys.setprofile(note)
    try:
        return call()
    finally:
        sys.setprofile(None)


if __name__ == "__main__":
    main()
