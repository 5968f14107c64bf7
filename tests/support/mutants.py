"""Change a module in one place after another, and tell which changes no test sees.

    python -m tests.support.mutants reportgen/stats/multiplicity.py tests/stats/test_multiplicity.py

Module and tests are files or folders; without tests they are those of the folder that mirrors the module's. Each
change is tried in a process that is forked with the libraries loaded, so that it takes what its tests take. A report
of the survivors, a line each, goes to standard output.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import importlib
import io
import os
import signal
import sys
import time
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path

_LIBRARIES = (
    "pytest",
    "hypothesis",
    "numpy",
    "scipy.stats",
    "sklearn.metrics",
    "msgspec",
    "pyarrow.csv",
    "xdist.plugin",
)
"""What tests load that is not ours; loaded once, by the process that forks."""
_LONGEST = 20
"""Times of the unchanged module's tests, after which a change that makes them run on counts as seen."""

_COMPARED = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_COMPUTED = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Div,
    ast.Pow: ast.Mult, ast.Mod: ast.FloorDiv, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.And: ast.Or,
    ast.Or: ast.And, ast.USub: ast.UAdd, ast.Invert: ast.UAdd,
}  # fmt: skip


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what may be in the place of a node: another operator, number, truth value or condition."""
    match node:
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value) | float(value)):
            yield ast.Constant(value + 1)
            if value not in (0, 1):
                yield ast.Constant(value * 1.1 if isinstance(value, float) else value - 1)
        case ast.Compare(ops=[first, *_]) if type(first) in _COMPARED:
            changed = copy.deepcopy(node)
            changed.ops[0] = _COMPARED[type(first)]()
            yield changed
        case ast.BinOp(op=op) | ast.BoolOp(op=op) | ast.UnaryOp(op=op) if type(op) in _COMPUTED:
            changed = copy.deepcopy(node)
            changed.op = _COMPUTED[type(op)]()
            yield changed
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand
        case ast.If() | ast.While() | ast.IfExp():
            changed = copy.deepcopy(node)
            changed.test = ast.UnaryOp(ast.Not(), node.test)
            yield changed
        case ast.Continue():
            yield ast.Break()
        case ast.Break():
            yield ast.Continue()


def mutants(text: str) -> Iterator[tuple[str, ast.Module]]:
    """Yield each change of a module's text, as a line that shows it, and the module with it.

    Annotations, decorators and messages are left as they are: a type checker reads the first, and the words of others
    are tested where they are printed.
    """
    tree = ast.parse(text)
    for parent, field, at, node in _places(tree):
        for changed in changes(node):
            ast.copy_location(changed, node)
            _put(parent, field, at, changed)
            shown = f"{node.lineno}: {_line(node)}  ->  {_line(changed)}"
            yield shown, ast.fix_missing_locations(copy.deepcopy(tree))
            _put(parent, field, at, node)


def _places(tree: ast.AST) -> Iterator[tuple[ast.AST, str, int | None, ast.AST]]:
    for field, value in ast.iter_fields(tree):
        if field in ("annotation", "returns", "decorator_list") or isinstance(tree, ast.JoinedStr):
            continue
        for at, node in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(node, ast.AST):
                yield tree, field, at, node
                yield from _places(node)


def _put(parent: ast.AST, field: str, at: int | None, node: ast.AST) -> None:
    if at is None:
        setattr(parent, field, node)
    else:
        getattr(parent, field)[at] = node


def _line(node: ast.AST) -> str:
    return " ".join(ast.unparse(ast.fix_missing_locations(copy.deepcopy(node))).split())[:60]


def seen(path: Path, tree: ast.Module, tests: list[str], seconds: float) -> bool:
    """Tell whether a test fails, or does not end within these seconds, when the module is this tree."""
    if (child := os.fork()) == 0:
        signal.setitimer(signal.ITIMER_REAL, seconds)  # its default is to end the process
        os._exit(_tested(path, tree, tests))
    return os.waitpid(child, 0)[1] != 0


def _tested(path: Path, tree: ast.Module, tests: list[str]) -> int:
    """Run the tests, the module being this tree wherever it is imported; return pytest's exit code."""
    import pytest

    read = SourceFileLoader.get_code

    def get_code(loader: SourceFileLoader, name: str) -> object:
        if Path(loader.get_filename(name)).resolve() != path:
            return read(loader, name)
        return compile(tree, str(path), "exec")

    SourceFileLoader.get_code = get_code  # type: ignore[assignment, method-assign]
    # pytest would rather load its plugins itself. Each property is tried with the same examples.
    how = ["-W", "ignore::pytest.PytestAssertRewriteWarning", "-p", "no:xdist", "-p", "no:cacheprovider"]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            return int(pytest.main([*how, "-x", "-q", "--hypothesis-seed=0", *tests]))
        except BaseException:  # a module that cannot be imported is a change that was seen, too
            return 1


def main(asked: str, *tests: str) -> None:
    """Try every change of a module, or of the modules of a folder."""
    for library in _LIBRARIES:
        importlib.import_module(library)
    root = Path.cwd()
    given = root / asked
    total = survived = 0
    for path in [given] if given.is_file() else sorted(given.rglob("*.py")):
        layer = path.relative_to(root / "reportgen").parts[0]
        of = list(tests) or [f"tests/{layer}"]
        text = path.read_text(encoding="utf-8")
        begun = time.monotonic()
        if seen(path, ast.parse(text), of, 3600):
            sys.exit(f"{path.relative_to(root)}: its tests fail as it is ({' '.join(of)})")
        longest = 10 + _LONGEST * (time.monotonic() - begun)
        for shown, tree in mutants(text):
            total += 1
            if not seen(path, tree, of, longest):
                survived += 1
                print(f"{path.relative_to(root)}:{shown}", flush=True)
    print(f"{survived} of {total} changes were seen by no test")


if __name__ == "__main__":
    main(*sys.argv[1:])
