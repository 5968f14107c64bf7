"""What is installed is what is in the repository, and what is locked is what is declared."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import reportgen
from reportgen.domain.record import Results
from reportgen.results import encode
from tests.support.results import showing

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCKS = ("runtime", "dev")


def canonical(name: str) -> str:
    """A distribution's name as the packaging standard compares it."""
    # Imported under another name.
    name = {"PIL": "pillow", "docx": "python-docx", "markdown_it": "markdown-it-py", "sklearn": "scikit-learn"}.get(
        name, name
    )
    return re.sub(r"[-_.]+", "-", name).lower()


def declared(requirements: list[str]) -> set[str]:
    """Names of requirements, each with a lower bound."""
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+>=[0-9.]+", requirement) for requirement in requirements)
    return {canonical(requirement.partition(">=")[0]) for requirement in requirements}


def locked(name: str) -> dict[tuple[str, str], str]:
    """(distribution, marker) to version; every entry must be pinned and hashed."""
    entries: dict[tuple[str, str], str] = {}
    text = (ROOT / ".locks" / f"{name}.txt").read_text(encoding="utf-8")
    for entry in re.split(r"\n(?=[^\s#])", text.replace("\\\n", " ").strip()):
        match = re.match(r"([A-Za-z0-9._-]+)==([^\s;]+)(?: ; ([^#]*?))?\s+--hash=sha256:[0-9a-f]{64}\b", entry)
        assert match, f".locks/{name}.txt: not pinned and hashed: {entry[:80]}"
        entries[canonical(match[1]), match[3] or ""] = match[2]
    return entries


def test_what_is_declared_is_what_is_imported() -> None:
    imported = {
        name.partition(".")[0]
        for path in (ROOT / "reportgen").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    foreign = {canonical(name) for name in imported - set(sys.stdlib_module_names) - {"reportgen"}}
    extras = declared([one for extra in PROJECT["project"]["optional-dependencies"].values() for one in extra])
    assert declared(PROJECT["project"]["dependencies"]) == foreign - extras


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_file_pins_and_hashes_everything_and_names_no_address(name: str) -> None:
    assert len(locked(name)) > 20
    text = (ROOT / ".locks" / f"{name}.txt").read_text(encoding="utf-8")
    assert re.findall(r"://|--(?:extra-)?index-url|--find-links|\.(?:org|com)\b", text) == []


def test_the_locks_hold_what_is_declared_and_agree() -> None:
    groups = PROJECT["dependency-groups"]
    needed = declared(PROJECT["project"]["dependencies"]) | declared(groups["build"])
    runtime, dev = locked("runtime"), locked("dev")
    assert needed <= {name for name, _ in runtime}
    assert needed | declared(groups["test"]) | declared(groups["lint"]) <= {name for name, _ in dev}
    assert {key: dev.get(key) for key in runtime} == runtime


@pytest.mark.parametrize("name", [*LOCKS, "docs"])
def test_what_a_locked_distribution_needs_is_locked_too(name: str) -> None:
    entries = {distribution for distribution, _ in locked(name)}
    needed = {
        (distribution, canonical(requirement.name))
        for distribution in entries & {canonical(one.name) for one in metadata.distributions()}
        for requirement in map(Requirement, metadata.requires(distribution) or ())
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""})
    }
    assert len(needed) > 20
    assert {pair for pair in needed if pair[1] not in entries} == set()


def test_the_build_backend_is_locked_since_it_is_used_without_isolation() -> None:
    assert PROJECT["build-system"]["requires"] == PROJECT["dependency-groups"]["build"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT, check=True, capture_output=True,
    )  # fmt: skip
    return next(folder.glob("*.whl"))


@pytest.mark.slow
def test_the_wheel_carries_every_template_style_and_contract_unchanged(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        inside = {name: archive.read(name) for name in archive.namelist()}
    assert f"reportgen-{reportgen.__version__}" in wheel.name
    for folder, home in (("templates", "reportgen/_data/"), ("styles", "reportgen/_data/"), ("reportgen", "")):
        files = [p for p in (ROOT / folder).rglob("*") if p.is_file() and "__pycache__" not in p.parts]
        assert files
        for path in files:
            assert inside[home + path.relative_to(ROOT).as_posix()] == path.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("way", ["wheel", "editable"])
def test_an_installation_away_from_the_checkout_gives_the_same_reportgen(
    tmp_path: Path, synthetic: Results, way: str
) -> None:
    """The environment is empty but for what the lock holds, which it borrows from the one that runs the tests."""
    environment = tmp_path / "env"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    python = environment / "bin" / "python"
    site = Path(sysconfig.get_path("purelib", vars={"base": str(environment), "platbase": str(environment)}))
    # A path that a .pth file names is searched, but its own .pth files (our editable install) are not read.
    (site / "borrowed.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--disable-pip-version-check"]
    how = ["--editable", str(ROOT)] if way == "editable" else [str(ROOT)]
    installed = subprocess.run(
        [sys.executable, "-m", "pip", "--python", str(python), "install", *options, *how],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert installed.returncode == 0, installed.stderr

    def run(*command: str) -> str:
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    found = run(str(python), "-I", "-c", "from reportgen.resources import styles_dir; print(styles_dir())")
    assert Path(found) == (ROOT / "styles" if way == "editable" else site / "reportgen" / "_data" / "styles")

    shown = showing(synthetic, tables=("main-results",), figures=("roc",))
    (tmp_path / "metrics_master.json").write_bytes(encode(shown))
    for name, command in (
        ("here", [sys.executable, "-m", "reportgen"]),
        ("there", [environment / "bin" / "reportgen"]),
    ):
        arguments = ["--quiet", "html", str(tmp_path / "metrics_master.json"), "-o", str(tmp_path / f"{name}.html")]
        subprocess.run([*map(str, command), *arguments], cwd=ROOT if name == "here" else tmp_path, check=True)
    assert (tmp_path / "there.html").read_bytes() == (tmp_path / "here.html").read_bytes()
    assert run(str(environment / "bin" / "reportgen"), "--version").endswith(reportgen.__version__)


def test_make_help_lists_the_targets() -> None:
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    done = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    listed = [line.split()[1] for line in done.stdout.splitlines()]
    assert set(listed) >= {"help", "demo", "test", "lint", "bench"}
