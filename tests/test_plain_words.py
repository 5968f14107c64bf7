"""Plain English in all that a user reads: no phrase of the house dialect, in any page, message or help.

The phrases are those of the style guide, each with what to write instead.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from tokenize import COMMENT

import click
import pytest

import reportgen as rg
from reportgen.cli import VERBS, main
from reportgen.codes import registry

ROOT = Path(__file__).resolve().parent.parent
PHRASES = {
    r"\bheld against\b": "compared with",
    r"\b(tables|numbers|papers|files|text|also) of others\b": "by other authors, from other tools",
    r"\b(is|was|are|were) (not )?(that|those) of\b": "repeat the noun",
    r"\b(has|have) none\b": "lacks",
    r"\bone of (its|their|your|his) own\b": "its own",
    r"\b(stands?|stood) (in|beside|under)\b": "is in, is next to",
    r"\b(is|are) told\b": "is set, contains",
    r"\bby hand\b": "manually; worked out on paper",
    r"\bas the system\b": "auto",
    r"\btakes? (the )?names? out\b": "removes names",
    r"\blies? apart\b": "differs",
    r"\b[Ff]ound by being there\b": "auto-discovered",
    r"\bwhat it leaves out\b": "limits",
    r"(?<!here )(?<!here need )\b(is|are|was|were|be) no (?!(longer|more than|less than|[a-z]+er than)\b)": "not a",
    r"\bas it were\b": "nothing",
    r"\b[Ww]hat (\w+ ){1,6}is what\b": "say the noun",
}
"""A phrase, and what the style guide has instead."""
PAGES = [
    ROOT / "README.md",
    ROOT / "SECURITY.md",
    *(path for path in sorted((ROOT / "docs").rglob("*.md")) if not {"_build", "made", "decisions"} & set(path.parts)),
]


def told(text: str) -> list[str]:
    """Return each phrase with what is around it."""
    return _said_in(text, PHRASES)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_page_is_in_plain_words(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    assert told(re.sub(r"`[^`\n]*`", "x", text)) == []


@pytest.mark.parametrize("code", registry())
def test_the_explanation_of_a_code_is_in_plain_words(code: str) -> None:
    entry = registry()[code]
    assert told(f"{entry.title}. {entry.why} {entry.fix}") == []


IN_CODE = [one for one in PHRASES if re.search(r"held against|\(stands|being there|as it were|\(be\)|be\) no", one)]
"""What docstrings and comments avoid, too; the other phrases have a meaning in the words of a program."""
NOT_A_VERB = {
    "A", "An", "And", "Any", "At", "Both", "Each", "Every", "How", "In", "Of", "On", "One", "The", "These", "This",
    "What", "Where", "Whether", "Which", "Why",
}  # fmt: skip


def _docstrings(tree: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node, ast.get_docstring(node) or ""
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node, node.value.value


def _is_attribute(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any("property" in ast.unparse(one) for one in node.decorator_list) or node.name == "__init__"


def _said_in(text: str, phrases: Iterable[str]) -> list[str]:
    flat = " ".join(text.split())
    return [flat[max(found.start() - 40, 0) : found.end() + 30] for one in phrases for found in re.finditer(one, flat)]


def test_docstrings_and_comments_are_in_plain_words_and_functions_begin_with_a_verb() -> None:
    dialect, nouns = [], []
    for path in sorted((ROOT / "reportgen").rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        comments = [one.string for one in tokenize.generate_tokens(io.StringIO(source).readline) if one.type == COMMENT]
        docstrings = list(_docstrings(ast.parse(source)))
        dialect += [f"{path.name}: {one}" for text in comments for one in _said_in(text, IN_CODE)]
        dialect += [f"{path.name}: {one}" for _, text in docstrings for one in _said_in(text, IN_CODE)]
        nouns += [
            f"{path.name}: {node.name}: {text[:60]}"
            for node, text in docstrings
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            and not _is_attribute(node)
            and text.split(maxsplit=1)[:1]
            and text.split(maxsplit=1)[0] in NOT_A_VERB
        ]
    assert dialect == []
    assert nouns == []


def _commands(command: click.Command, context: click.Context) -> Iterator[click.Command]:
    yield command
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            one = command.get_command(context, name)
            assert one is not None
            yield from _commands(one, context)


@pytest.mark.parametrize("verb", [*VERBS, ""])
def test_the_help_of_a_verb_is_in_plain_words(verb: str) -> None:
    context = click.Context(main)
    command = main.get_command(context, verb) if verb else None
    helps = [one.get_help(click.Context(one)) for one in _commands(command, context)] if command else []
    assert told(" ".join([*helps, *(VERBS.values() if not verb else ())])) == []


@pytest.mark.parametrize("path", sorted((ROOT / "reportgen/contracts").glob("*.toml")), ids=lambda path: path.stem)
def test_the_words_of_a_contract_are_plain(path: Path) -> None:
    def texts(value: object) -> Iterator[str]:
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            for one in value.values():
                yield from texts(one)

    assert [found for text in texts(tomllib.loads(path.read_text(encoding="utf-8"))) for found in told(text)] == []


def _messages(path: Path) -> Iterator[str]:
    """Yield the texts of a module that are not docstrings: messages, captions, helps; a hole stands for a value."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    silent = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    within = {id(inner) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for inner in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "x" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent | within:
            yield node.value


MODULES = sorted((ROOT / "reportgen").rglob("*.py"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT / "reportgen").as_posix())
def test_the_messages_of_a_module_are_in_plain_words(path: Path) -> None:
    assert [found for text in _messages(path) for found in told(text)] == []


@pytest.mark.parametrize("name", sorted(rg.__all__))
def test_the_help_of_a_public_name_is_in_plain_words(name: str) -> None:
    described = getattr(rg, name)
    assert told(str(getattr(described, "__doc__", "") or "")) == []
