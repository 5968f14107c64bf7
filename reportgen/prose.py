"""The words of the report: Jinja templates whose output is a small Markdown, read once into blocks.

What a template writes itself is Markdown: paragraphs, ``-`` lists, ``##`` headings with an anchor (``## Triage
[#triage]``) and ``> [!warning]`` callouts. A list of facts has a term in each item (``- Term :: text``; with ``:::``
it is set small). What an expression prints is data and never Markdown: a text of the user, a
number that knows its result (:class:`~reportgen.domain.presentation.Shown`), a reference, or a whole block. It passes
through Markdown as a token and comes back as it was: no label can make a heading, and no number loses its source.

A blank line of the template parts paragraphs; a line that has become empty, since it holds tags alone, does not.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from functools import lru_cache
from typing import Any, NamedTuple

from jinja2 import Environment, TemplateSyntaxError, meta, nodes, pass_context
from jinja2.runtime import Context, LoopContext
from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode
from markupsafe import Markup

from reportgen import numbers
from reportgen.domain.presentation import (
    Block,
    Brackets,
    Callout,
    Facts,
    Items,
    Math,
    Paragraph,
    Ref,
    Section,
    ShowFigure,
    Shown,
    ShowTable,
    Text,
    plain,
)
from reportgen.errors import Diagnostic, RenderError
from reportgen.resources import templates_dir
from reportgen.templating import Compiled, Load, sandbox, set_template
from reportgen.wording.conventions import interval_method
from reportgen.wording.text import Phrase, capital, concat, in_words, paragraph, percent

_THEMES = 8
"""Themes whose compiled templates are kept."""
_COMPILED = Compiled()
"""The templates of all themes: their environments differ in nothing but where templates come from."""
_OPEN, _CLOSE, _BREAK = "\ue000", "\ue001", "\ue002"
_TOKEN = re.compile(f"{_OPEN}(\\d+){_CLOSE}")
_SPACES = re.compile(r"[ \t\n]+")
_ANCHOR = re.compile(r"\s*\[#([a-z0-9-]+)\]$")
_EMPTY = re.compile(r"^[ \t]*\n", re.MULTILINE)
_OPENED = re.compile(f"^-[ \t]*\n(?![-{_BREAK}])", re.MULTILINE)
_TERM = re.compile(r" (:{2,3}) ")
_LEAD = re.compile(r"\[!(warning|note)\]\s*")
_BLOCKS = (Paragraph, Items, Facts, Callout, ShowTable, ShowFigure)
_INLINES = (str, Math, Shown, Ref, Brackets)
_printed: ContextVar[list[Text | tuple[Block, ...]]] = ContextVar("printed")
"""What the expressions of the template that is being set have printed, in their order."""


def set_section(load: Load, name: str, facts: Mapping[str, Any]) -> Section | None:
    """Return the section that a template makes; None where it says nothing.

    Args:
        load: Gives the source of a template by its name.
        name: The section's id; its template is ``text/NAME.md.j2``. The first heading is its title.
        facts: What the template can ask of the run, by name.

    Raises:
        RenderError: RG596, as :func:`reportgen.templating.set_template`; RG592, the template writes something that a
            section cannot hold.
    """
    path = f"text/{name}.md.j2"
    values: list[Text | tuple[Block, ...]] = []
    reset = _printed.set(values)
    try:
        written = set_template(_environment(load), path, facts)
    finally:
        _printed.reset(reset)
    lines = "\n".join(line for line in written.split("\n") if line.strip(" \t"))
    # An item whose first line says nothing goes on with the next.
    lines = _OPENED.sub("- ", lines)
    sections = _sections(name, lines.replace(_BREAK, ""), values, path)
    return sections[0] if sections else None


class Words(NamedTuple):
    """What a template says of a table or a figure."""

    title: str
    caption: Phrase
    notes: tuple[Text, ...]
    """The items of its list."""
    alt: Text = ()
    """The paragraphs of its part with the anchor ``alt``."""


def set_words(load: Load, names: Sequence[str], facts: Mapping[str, Any]) -> Words:
    """Return what a template says of a table or a figure: a title, a caption, notes and an alternative text.

    The caption is its paragraphs, the notes are its list, the alternative text is the part below it.

    Args:
        load: As for :func:`set_section`.
        names: Templates below ``text/``, of which the first that exists is set.
        facts: As for :func:`set_section`.

    Raises:
        RenderError: As :func:`set_section`; RG592 where there is no title.
    """
    name = next(one for one in names if load(f"text/{one}.md.j2") is not None)
    section = set_section(load, name, facts)
    if section is None or any(part.id != "alt" for part in section.sections):
        raise _unsettable(f"text/{name}.md.j2", "it does not hold a title, a caption and notes, or a part [#alt]")
    caption, alt = (
        paragraph(block.text for block in blocks if isinstance(block, Paragraph))
        for blocks in (section.blocks, [block for part in section.sections for block in part.blocks])
    )
    notes = [note for block in section.blocks if isinstance(block, Items) for note in block.items]
    return Words(section.title, caption, tuple(notes), alt)


def check_words(load: Load, paths: Iterable[str], known: Collection[str]) -> Iterator[Diagnostic]:
    """Yield what is wrong with templates below ``text/`` whatever the results: what cannot be read, unknown names.

    Args:
        load: As for :func:`set_section`.
        paths: The names of the templates.
        known: Names that templates can ask; those that a shipped template asks are known, too.
    """
    environment = _environment(load)
    facts = {*known, *environment.globals}
    for file in (templates_dir() / "text").rglob("*.j2"):
        facts |= meta.find_undeclared_variables(environment.parse(file.read_text(encoding="utf-8")))
    for path in paths:
        source, where = load(path) or ("", path)
        try:
            tree = environment.parse(source, path)
        except TemplateSyntaxError as error:
            yield Diagnostic("RG596", f"{where}, line {error.lineno}", error.message or "cannot be read")
            continue
        unknown = meta.find_undeclared_variables(tree) - facts
        for name in tree.find_all(nodes.Name):
            if name.name in unknown:
                unknown.discard(name.name)
                yield Diagnostic("RG596", f"{where}, line {name.lineno}", f"'{name.name}' is undefined")


def section_of_text(
    name: str, text: str, where: str, fill: Callable[[str, Callable[[Text], str]], str] = lambda text, _: text
) -> Section | None:
    """Return the section that a text of the author's makes: Markdown, and no template; None where it says nothing.

    Args:
        name: The section's id. The first heading of the text is its title.
        text: Markdown: a title, paragraphs, lists, parts with a heading, callouts.
        where: What the text is called in messages.
        fill: Replaces what the text cites; its second argument gives what stands for a value until Markdown is read.

    Raises:
        RenderError: RG592, the text holds something that a section cannot hold; and what ``fill`` raises.
    """
    values: list[Text | tuple[Block, ...]] = []

    def stand_in(value: Text) -> str:
        values.append(value)
        return f"{_OPEN}{len(values) - 1}{_CLOSE}"

    clean = "".join("\ufffd" if char in (_OPEN, _CLOSE) else char for char in text)
    sections = _sections(name, fill(clean, stand_in), values, where)
    return sections[0] if sections else None


@lru_cache(maxsize=_THEMES)
def _environment(load: Load) -> Environment:
    def loaded(name: str) -> tuple[str, str] | None:
        found = load(name)
        return None if found is None else (_EMPTY.sub(f"{_BREAK}\n", found[0]), found[1])

    environment = sandbox(
        loaded, _token, bytecode_cache=_COMPILED, autoescape=True, trim_blocks=False, lstrip_blocks=False
    )
    environment.filters.update(
        capital=capital, count=numbers.count, percent=percent, words=in_words, interval_method=interval_method
    )
    del environment.filters["safe"]
    environment.globals.update(sep=separator, phrase=concat, formula=Math, bracketed=_bracketed)
    return environment


@pass_context
def _token(context: Context, value: object) -> Markup:
    """Return what stands for a printed value until Markdown is read; words of the template pass as they are."""
    del context  # Passed so that nothing is printed when a template is compiled.
    if isinstance(value, Markup):
        return value
    printed = _printed.get()
    printed.append(_printable(value))
    return Markup(f"{_OPEN}{len(printed) - 1}{_CLOSE}")


def _printable(value: object) -> Text | tuple[Block, ...]:
    if isinstance(value, bool) or value is None or isinstance(value, float):
        raise TypeError(f"{value!r} cannot be printed: print a record's value, a text or a count")
    if isinstance(value, int):
        return numbers.count(value)
    if isinstance(value, _INLINES):
        return value
    if isinstance(value, _BLOCKS):
        return (value,)
    if isinstance(value, tuple) and all(isinstance(part, (*_INLINES, *_BLOCKS)) for part in value):
        return value
    raise TypeError(f"{type(value).__name__} cannot be printed: print a record's value, a text or a count")


def _bracketed(hold: Markup, further: Markup) -> Brackets:
    """Return what the brackets of a table hold, from words of the template: ``hold``, and sentences after them."""

    def said(words: Markup) -> str:
        return plain(_phrase(html.unescape(words), _printed.get(), "bracketed()"))

    after = said(further)
    return Brackets(said(hold), f" {after}" if after else "")


def separator(loop: LoopContext, last: str = "and") -> Markup:
    """Return what parts an item of a loop from the one before it: nothing, a comma, or the word before the last."""
    if loop.first:
        return Markup(" ")
    return Markup(" {} ").format(last) if loop.last else Markup(", ")


def _sections(name: str, written: str, values: Sequence[Text | tuple[Block, ...]], where: str) -> tuple[Section, ...]:
    """Return the section of a text, with those below it; empty where nothing is said."""
    parts: list[tuple[int, str, str, list[Block]]] = []
    parser = MarkdownIt("zero").enable(["heading", "list", "blockquote", "entity"])
    for node in SyntaxTreeNode(parser.parse(written)).children:
        if node.type == "heading":
            title = "".join(part for part in _phrase(_words(node), values, where) if isinstance(part, str))
            anchor = _ANCHOR.search(title)
            level = int(node.tag.removeprefix("h"))
            id = anchor[1] if anchor else name if level == 1 else re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
            parts.append((level, id, _ANCHOR.sub("", title), []))
        elif not parts:
            raise _unsettable(where, "there is text before its title")
        else:
            parts[-1][3].extend(_blocks(node, values, where))
    if not parts:
        return ()
    if parts[0][0] != 1 or any(level != 2 for level, *_ in parts[1:]):
        raise _unsettable(where, "its headings are not one title (#) and parts below it (##)")
    below = tuple(Section(id, title, tuple(blocks)) for _, id, title, blocks in parts[1:] if blocks)
    _, id, title, blocks = parts[0]
    return (Section(id, title, tuple(blocks), below),) if blocks or below else ()


def _blocks(node: SyntaxTreeNode, values: Sequence[Text | tuple[Block, ...]], where: str) -> Iterator[Block]:
    match node.type:
        case "paragraph":
            yield from _paragraph(node, values, where)
        case "bullet_list" | "ordered_list":
            terms = [_fact(item, values, where) for item in node.children]
            if facts := [fact for fact in terms if fact is not None]:
                if len(facts) < len(terms):
                    raise _unsettable(where, "some items of a list have a term before :: and some lack it")
                yield Facts(tuple((term, text) for _, term, text in facts), compact=facts[0][0] == ":::")
                return
            items = [_only(item, values, where) for item in node.children]
            if kept := tuple(item for item in items if item):
                yield Items(kept, ordered=node.type == "ordered_list")
        case "blockquote":
            text = _only(node, values, where)
            first = text[0] if text and isinstance(text[0], str) else ""
            lead = _LEAD.match(first)
            if lead is None:
                raise _unsettable(where, "a callout begins with > [!warning] or > [!note]")
            if said := concat(first[lead.end() :], *text[1:]):
                yield Callout("warning" if lead[1] == "warning" else "note", said)
        case _:
            raise _unsettable(where, f"it holds a {node.type}")


def _paragraph(node: SyntaxTreeNode, values: Sequence[Text | tuple[Block, ...]], where: str) -> Iterator[Block]:
    """Yield a paragraph, or the blocks that its expressions printed where there is nothing else."""
    parts = list(_parts(_words(node), values))
    shown = [part for part in parts if isinstance(part, tuple) and any(isinstance(one, _BLOCKS) for one in part)]
    if not shown:
        if text := _trimmed(parts):
            yield Paragraph(text)
        return
    if any(part not in shown and part not in ("", " ", ()) for part in parts):
        raise _unsettable(where, "a table, a figure or a list of facts stands within a paragraph: give it its own")
    for part in shown:
        yield from (one for one in part if isinstance(one, _BLOCKS))


def _only(node: SyntaxTreeNode, values: Sequence[Text | tuple[Block, ...]], where: str) -> Phrase:
    """Return the one paragraph inside a list item or a callout."""
    if not node.children:
        return ()
    if len(node.children) > 1 or node.children[0].type != "paragraph":
        raise _unsettable(where, "a list item or a callout is one paragraph")
    return _phrase(_words(node.children[0]), values, where)


def _fact(
    item: SyntaxTreeNode, values: Sequence[Text | tuple[Block, ...]], where: str
) -> tuple[str, str, Phrase] | None:
    """Return the mark, the term and the text of a list item that has a term; None of any other."""
    if not item.children or item.children[0].type != "paragraph":
        return None
    words = _words(item.children[0])
    # What expressions printed is a token here, so that no text of a user can hold the mark.
    if not (mark := _TERM.search(words)):
        return None
    term = plain(_phrase(words[: mark.start()], values, where))
    return mark[1], term, _phrase(words[mark.end() :], values, where)


def _words(node: SyntaxTreeNode) -> str:
    """Return the words of the template in a paragraph or heading, with tokens where expressions printed."""
    return "".join(" " if inner.type == "softbreak" else inner.content for inner in node.children[0].children)


def _phrase(words: str, values: Sequence[Text | tuple[Block, ...]], where: str) -> Phrase:
    parts = list(_parts(words, values))
    if any(isinstance(one, _BLOCKS) for part in parts if isinstance(part, tuple) for one in part):
        raise _unsettable(where, "a table, a figure or a list of facts stands within a text: give it its own line")
    return _trimmed(parts)


def _parts(words: str, values: Sequence[Text | tuple[Block, ...]]) -> Iterator[Text | tuple[Block, ...]]:
    """Yield what a paragraph is made of: words of the template, with single spaces, and what expressions printed.

    A space of the template that would follow another, since nothing was printed between, is left out.
    """
    spaced = True
    for at, part in enumerate(_TOKEN.split(_SPACES.sub(" ", words))):
        if at % 2:
            value = values[int(part)]
            spaced = spaced and value in ("", ())
            yield value
        elif part:
            kept = part.lstrip(" ") if spaced else part
            spaced = kept.endswith(" ") if kept else spaced
            yield kept


def _trimmed(parts: Sequence[Any]) -> Phrase:
    """Return texts as one, without a space at the end."""
    *first, last = concat(*parts) or ("",)
    return concat(*first, last.rstrip(" ") if isinstance(last, str) else last)


def _unsettable(where: str, what: str) -> RenderError:
    return RenderError(Diagnostic("RG592", where, what))
