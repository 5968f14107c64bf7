"""A theme tried out: a plain and a hostile sample set in every format and held against what a report must show."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from html.parser import HTMLParser

from reportgen.domain.presentation import Document
from reportgen.errors import Diagnostic, RenderError
from reportgen.render import report_html, report_latex, report_markdown, report_pdf
from reportgen.render.theme_sample import HOSTILE, sample
from reportgen.render.themes import Theme

_SECTIONS = ("sample-blocks", "sample-part", "sample-end")
_SHOWN = {
    "the warning": "A warning about",
    "the note": "A note.",
    "the items": "An item of",
    "the numbered items": "Second",
    "the terms and what they mean": "What it means.",
    "the captions": "A table of",
    "the captions of figures": "A figure of",
    "the notes of tables": "A note on",
    "the values": "0.730",
    "that the data are synthetic": "synthetic data",
}
"""What every format must show, and how it is known; a word of the sample's own stands in each."""


def check_theme(theme: Theme, progress: Callable[[float], None] = lambda share: None) -> tuple[Diagnostic, ...]:
    """Find everything that is wrong with a theme, in the order of formats; nothing is written.

    ``progress`` is called with the share done, from 0 to 1.

    The PDF is set but not read: what it shows comes from the same parts as the page.
    """
    formats: Mapping[str, Callable[[Document], str]] = {
        "html": lambda document: report_html.render(document, theme=theme),
        "pdf": lambda document: report_pdf.render(document, theme=theme)[:5].decode("ascii"),
        "markdown": lambda document: report_markdown.render(document, theme=theme),
        **{f"latex, {name}": _latex(theme, name) for name in theme.papers},
    }
    found: list[Diagnostic] = []
    for at, (name, render) in enumerate(formats.items()):
        progress(at / len(formats))
        for hostile in (False, True):
            try:
                text = render(sample(hostile=hostile))
            except RenderError as error:
                found += error.problems
                break
            found += _missing(name, text) if not hostile else _acting(name, text)
    return tuple(dict.fromkeys(found))


def _latex(theme: Theme, template: str) -> Callable[[Document], str]:
    return lambda document: "\n".join(report_latex.sources(document, theme, template).values())


def _missing(name: str, text: str) -> Iterator[Diagnostic]:
    """Give what the format should show and does not."""
    if name == "pdf":
        return
    body = re.sub(r"<(style|script)\b.*?</\1>", "", text, flags=re.DOTALL)
    plain = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", body) if name == "html" else body)
    lacks = [what for what, mark in _SHOWN.items() if mark not in plain]
    if name == "html":
        targets = [*(f"sec:{id}" for id in _SECTIONS), "tab:sample", "fig:sample", "ref:sample2007"]
        lacks += [f"the place '{target}', which links lead to" for target in targets if f'id="{target}"' not in body]
    elif name == "markdown":
        lacks += [
            f"the heading '{title}'" for title in ("Blocks", "A part", "The end", "References") if title not in plain
        ]
    else:
        targets = [*(f"sec:{id}" for id in _SECTIONS), "tab:sample", "fig:sample"]
        lacks += [f"the label '{target}'" for target in targets if f"\\label{{{target}}}" not in text]
        commands = (r"\documentclass", r"\begin{document}", r"\maketitle", r"\input{main.bbl}")
        lacks += [f"'{command}'" for command in commands if command not in text]
    for what in lacks:
        fix = "Show it, or leave the template or block out: the shipped one then stands in its place."
        yield Diagnostic("RG596", name, f"the templates do not show {what}", fix)


def _acting(name: str, text: str) -> Iterator[Diagnostic]:
    """Give text of the user's own that acts as markup."""
    acts: list[str] = []
    if name == "html":
        page = _CheckedPage()
        page.feed(text)
        acts = page.acts
    elif name == "markdown":
        acts = ["HTML"] if re.search(r"(?<!\\)<img src=x", text) else []
    elif name.startswith("latex") and r"\input{/etc/passwd}" in text:
        acts = [r"\input"]
    if name != "pdf" and re.search(r"(?<!\d)49(?!\d)\s(?:>>|&gt;&gt;|\}\}|\\textgreater)", text):
        acts.append("a template")
    for what in acts:
        fix = "Print values as they are; do not switch the escaping off (`|safe`, `{% autoescape false %}`, `Markup`)."
        yield Diagnostic("RG596", name, f"a name acts as {what}: {HOSTILE[:34]}…", fix)


class _CheckedPage(HTMLParser):
    """Collects what of a page would act or ask for something."""

    def __init__(self) -> None:
        super().__init__()
        self.acts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note elements with handlers, and addresses outside the page other than links."""
        for name, value in attrs:
            if name.startswith("on"):
                self.acts.append(f"a handler ({name}) of <{tag}>")
            elif (name in ("src", "srcset", "data") or (name == "href" and tag != "a")) and not _inside(value or ""):
                self.acts.append(f"an address of <{tag}>")


def _inside(address: str) -> bool:
    return address.startswith(("data:", "#"))
