"""What a macro of the shared templates says of some results."""

from __future__ import annotations

from typing import Any

from reportgen.domain.presentation import Paragraph, inlines, plain
from reportgen.domain.record import Results
from reportgen.prose import set_section
from reportgen.templating import shipped_text
from reportgen.wording.facts import RunFacts
from reportgen.wording.text import Phrase

_FILES = ("classes", "intervals", "leading", "tests")
_sources: dict[str, str] = {}


def _load(name: str) -> tuple[str, str] | None:
    return (_sources[name], f"base::{name}") if name in _sources else shipped_text(name)


def phrase(results: Results, expression: str, **facts: Any) -> Phrase:
    """Return what an expression makes, ``leading.leader(at, "AUROC")``, with the numbers that know their result."""
    imports = "".join(f'{{% import "text/shared/{file}.md.j2" as {file} with context %}}\n' for file in _FILES)
    name = f"probe-{expression}"
    _sources[f"text/{name}.md.j2"] = f"{imports}# Probe\n\n{{{{ {expression} }}}}\n"
    section = set_section(_load, name, {**RunFacts(results).names(), **facts})
    if section is None:
        return ()
    [block] = section.blocks
    assert isinstance(block, Paragraph)
    return inlines(block.text)


def said(results: Results, expression: str, **facts: Any) -> str:
    """Return the same as plain text, with spaces that may break."""
    return plain(phrase(results, expression, **facts)).replace("\u00a0", " ")
