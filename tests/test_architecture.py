"""The shape of the code, enforced: layers, sizes, names, and what may be loaded when."""

from __future__ import annotations

import ast
import io
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "reportgen"
MODULES = sorted(PACKAGE.rglob("*.py"))

LAYERS = (
    ("discovery", "version"),
    ("codes",),
    ("errors",),
    ("domain",),
    ("resources", "styles", "numbers", "workers", "dask_workers"),
    ("contracts",),
    ("figure_options", "query_values"),
    ("reference",),
    ("peers",),
    ("metrics",),
    ("inputs", "checks"),
    ("recognition",),
    ("stats",),
    ("templating",),
    ("wording",),
    ("prose",),
    ("float_selection",),
    ("results",),
    (
        "evaluation",
        "consistency",
        "gate",
        "catalogue",
        "anonymity",
        "isolation",
        "decimal_comma",
        "migration",
        "shortlist",
    ),
    ("crosscheck",),
    ("tables", "figures"),
    ("documents",),
    ("render",),
    ("formats", "installation"),
    ("bundle",),
    ("exports", "verify", "diff", "manuscripts"),
    ("interactive",),
    ("cli",),
)
"""Low to high; what is in one layer does not import each other, but ``styles`` reads ``resources``."""
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}
SAME_LAYER = {("styles", "resources")}

PRESENTING = ("tables", "figures", "documents", "render")
MAY_BE_PRESENTED = {
    "contracts.vocabulary",  # the words for the conventions, which no run and no contract changes
    "contracts.contract_ids",  # with the next: the shipped contracts, to hold a convention against; no part of a run
    "contracts.load_contract",
    "decimal_comma",  # of what is built
    "domain.record",
    "domain.directions",
    "domain.presentation",
    "domain.metric_id",
    "domain.mathematics",
    "discovery",
    "errors",
    "figure_options",
    "float_selection",
    "isolation",  # of the same results
    "shortlist",
    "numbers",
    "prose",
    "query_values",  # those of single queries, which are beside the results
    "resources",
    "results",
    "stats.friedman",  # of the same values: what a diagram of ranks shows is nowhere else
    "styles",
    "templating",
    "wording",
    "workers",
}
ONE_DOOR = ("manuscripts", "verify")
"""Packages whose modules nobody outside imports."""
HOME_OF = {
    "matplotlib": {"figures", "render"},
    "jinja2": {"render", "templating", "prose"},
    "markupsafe": {"render", "prose"},
    "weasyprint": {"render"},
    "xlsxwriter": {"render"},
    "docx": {"render"},
    "docxtpl": {"render"},
    "click": {"cli"},
    "sklearn": {"peers"},
    "rich": {"cli"},
    "distributed": {"dask_workers"},
}


def name_of(path: Path) -> str:
    """``reportgen/inputs/__init__.py`` is ``inputs``, ``reportgen/errors.py`` is ``errors``."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


@cache
def parsed(path: Path) -> ast.Module:
    """The tree of a module, made once: many tests look at all of them."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports(path: Path) -> tuple[str, ...]:
    """Full dotted names a module imports, anywhere in it, type checking included."""
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide the layer"
            assert node.module is not None
            # `from reportgen.render import report_pdf` may name a module: the longer name decides.
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@cache
def loaded_imports(path: Path) -> frozenset[str]:
    """Names of the packages a module loads when it runs: its imports but those for type checking."""
    return frozenset(_loaded_imports(path))


def _loaded_imports(path: Path) -> Iterator[str]:
    tree = parsed(path)
    typing_only = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


def inside(name: str) -> str | None:
    """Return the part after ``reportgen.``; None for another package."""
    return name.removeprefix("reportgen.") if name.startswith("reportgen.") else None


def test_every_module_belongs_to_a_layer() -> None:
    unknown = {name_of(path).partition(".")[0] for path in MODULES} - set(RANK) - {"", "__main__"}
    assert unknown == set()


def test_imports_go_downward_only() -> None:
    wrong = []
    for path in MODULES:
        source = name_of(path).partition(".")[0]
        if source in {"", "__main__"}:
            continue
        for imported in imports(path):
            target = (inside(imported) or "").partition(".")[0]
            if target in {"", source} or (source, target) in SAME_LAYER:
                continue
            if RANK[target] >= RANK[source]:
                wrong.append(f"{name_of(path)} imports {imported}")
    assert wrong == []


def test_no_file_imports_itself_by_way_of_others() -> None:
    files = {name_of(path) for path in MODULES}

    def ours(name: str) -> bool:
        return name == "reportgen" or name.startswith("reportgen.")

    def file_of(name: str) -> str:
        while name not in files:
            name = name.rpartition(".")[0]
        return name

    reached = {
        name_of(path): {
            file_of(f".{one}".removeprefix(".reportgen").removeprefix(".")) for one in imports(path) if ours(one)
        }
        - {name_of(path)}
        for path in MODULES
    }
    while True:  # Warshall's closure, in rounds: until no file reaches another by way of a third
        further = {name: of.union(*(reached[one] for one in of)) for name, of in reached.items()}
        if further == reached:
            break
        reached = further
    assert [name for name, of in sorted(reached.items()) if name in of] == []


@pytest.mark.parametrize("room", ONE_DOOR)
def test_a_room_is_entered_by_the_names_of_its_door_only(room: str) -> None:
    names = next(ast.literal_eval(node.value) for node in ast.parse((PACKAGE / room / "__init__.py").read_text()).body
                 if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__")  # fmt: skip
    outside = {name for path in MODULES if name_of(path).partition(".")[0] != room for name in imports(path)}
    entered = {name for name in outside if name.startswith(f"reportgen.{room}.")}
    assert entered <= {f"reportgen.{room}.{name}" for name in names}


def test_what_presents_reads_results_and_never_a_run() -> None:
    wrong = []
    for path in MODULES:
        if name_of(path).partition(".")[0] not in PRESENTING:
            continue
        for imported in imports(path):
            target = inside(imported)
            if target is None or target.partition(".")[0] in PRESENTING:
                continue
            if not any(target == allowed or target.startswith(f"{allowed}.") for allowed in MAY_BE_PRESENTED):
                wrong.append(f"{name_of(path)} imports {imported}")
    assert wrong == []


def test_an_entry_alone_knows_both_implementations_of_a_metric() -> None:
    """A formula of ``reference`` is the field ``recompute`` of an entry; it imports no statistic."""
    names = {part: {i for p in MODULES if name_of(p).startswith(part) for i in imports(p)} for part in RANK}
    assert not any(name.startswith("reportgen.metrics") for name in names["reference"])


@pytest.mark.parametrize("library", HOME_OF)
def test_a_library_is_used_in_its_own_layer_only(library: str) -> None:
    users = {name_of(path).partition(".")[0] for path in MODULES if library in loaded_imports(path)}
    assert users <= HOME_OF[library]


def test_a_module_has_at_most_600_lines_and_a_function_50_of_code() -> None:
    long = []
    for path in MODULES:
        text = path.read_text(encoding="utf-8")
        code = lines_of_code(text)
        if (count := len(text.splitlines())) > 600:
            long.append(f"{name_of(path)}: {count}")
        long += [
            f"{name_of(path)}.{node.name}: {count}"
            for node in ast.walk(parsed(path))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (count := len(code & body_lines(node))) > 50
        ]
    assert long == []


def lines_of_code(text: str) -> set[int]:
    """Line numbers that hold more than a comment."""
    quiet = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in quiet:
            lines.update(range(token.start[0], token.end[0] + 1))
    return lines


def body_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> set[int]:
    """Lines of a function without its docstring."""
    lines = set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    first = node.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        lines -= set(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return lines


def test_the_counters_of_the_size_test_leave_out_docstrings_and_comments() -> None:
    text = 'def f():\n    """One.\n\n    Two.\n    """\n    # three\n\n    return (\n        1\n    )\n'
    function = ast.parse(text).body[0]
    assert isinstance(function, ast.FunctionDef)
    assert lines_of_code(text) & body_lines(function) == {1, 8, 9, 10}


def test_no_module_is_a_drawer_for_odds_and_ends() -> None:
    drawers = {"util", "utils", "helper", "helpers", "manager", "common", "misc"}
    assert [name_of(path) for path in MODULES if path.stem in drawers] == []


HEAVY = {"pandas", "sklearn", "scipy", "matplotlib", "weasyprint", "xlsxwriter"}


@pytest.mark.parametrize(
    ("statement", "unwanted"),
    [
        ("import reportgen", HEAVY | {"numpy", "msgspec", "pyarrow", "jinja2", "rich", "click"}),
        (
            "from reportgen.cli import main; main(['--help'], standalone_mode=False)",
            HEAVY | {"numpy", "msgspec", "pyarrow", "jinja2", "rich"},
        ),
        (
            "from reportgen.cli import main; main(['build', '--help'], standalone_mode=False)",
            HEAVY | {"numpy", "msgspec", "pyarrow", "jinja2", "rich"},
        ),
    ],
    ids=["import", "help", "build-help"],
)
def test_what_is_not_needed_is_not_loaded(statement: str, unwanted: set[str]) -> None:
    code = f"import sys; {statement}; print(' '.join(sorted({{name.partition('.')[0] for name in sys.modules}})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "reportgen" in loaded
    assert loaded & unwanted == set()


def test_the_help_loads_no_verb() -> None:
    code = "import sys; from reportgen.cli import VERBS, main; main(['--help'], standalone_mode=False); "
    code += "print([verb for verb in VERBS if f'reportgen.cli.{verb}' in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.splitlines()[-1] == "[]"
