"""The report as PDF, set by WeasyPrint from the same blocks as the HTML page.

The bytes depend on the document and the attachments alone: the identifier is a digest of the page, no clock is read,
fonts come from files, and nothing else is fetched.
"""

from __future__ import annotations

import hashlib
import logging
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from reportgen.domain.presentation import COMPACT, Document, Figure, Math, Table
from reportgen.errors import Diagnostic, RenderError
from reportgen.render import escape, figure_pdf, fonts, mathematics, stylesheet
from reportgen.render.blocks import Part, figures_shown, part_of, tables_shown
from reportgen.render.environment import html_environment
from reportgen.render.figure_files import Picture, for_page
from reportgen.render.markup import LONGEST, MarkupNames, shortened
from reportgen.render.table_text import LINE, natural_width
from reportgen.render.themes import Theme, base_theme
from reportgen.styles import Tokens, remedy
from reportgen.templating import set_template

_FONTCONFIG = "FONTCONFIG_FILE"
"""Variable of the environment that names fontconfig's configuration."""


def lacking() -> Diagnostic | None:
    """Return what keeps WeasyPrint from being loaded on this machine, None where it can be: the package or Pango."""
    try:
        import weasyprint  # noqa: F401
    except (ImportError, OSError) as error:  # OSError: a library of the system is not there
        reason = str(error).partition("\n")[0].partition(": error")[0]
        return Diagnostic("RG542", "PDF", f"cannot be set here: {reason}")
    return None


def render(
    document: Document,
    attachments: Mapping[str, bytes] | None = None,
    *,
    part: Part = "report",
    theme: Theme | None = None,
    pictures: Mapping[str, Picture] | None = None,
) -> bytes:
    """Set a document, or its supplement, as a tagged PDF (PDF/UA-1).

    Args:
        document: Any document.
        attachments: File name to content; each is embedded in the PDF under its name, in the order of names.
        part: Which of the two.
        theme: How it looks; the base theme if omitted.
        pictures: The figures by their ids, where they are drawn already, with the tokens of the page.

    Raises:
        RenderError: RG542, Pango is not installed; a figure, table or formula cannot be set; RG596, a template of the
            theme fails; or RG541, when the page asks for anything but its own data and its fonts, or WeasyPrint reports
            an error.
    """
    if (missing := lacking()) is not None:
        raise RenderError(missing)
    files = dict(sorted((attachments or {}).items()))
    theme = theme or base_theme()
    tokens = theme.tokens()
    page, css = _page(document, files, theme, tokens, part)
    drawn = {
        figure.id: (for_page(figure, ("pdf",), tokens) if pictures is None else pictures[figure.id]).pdf
        for figure in figures_shown(part_of(document, part)[0])
    }
    shown = figure_pdf.images(drawn)
    fetcher = _fetcher(fonts.shipped(tokens))
    with _own_fonts(tokens), _errors_raised(document.title):
        import weasyprint
        from weasyprint.text.fonts import FontConfiguration

        configuration = FontConfiguration()
        sheet = weasyprint.CSS(string=css, url_fetcher=fetcher, font_config=configuration)
        html = weasyprint.HTML(string=page, url_fetcher=fetcher, base_url=None)
        result: bytes = html.write_pdf(
            stylesheets=[sheet],
            font_config=configuration,
            attachments=[_attachment(name, content) for name, content in files.items()],
            pdf_variant="pdf/ua-1",
            pdf_identifier=_digest(page, css, files, drawn),
            finisher=partial(_finish, shown.values()),
            # WeasyPrint looks here for an image before it asks the fetcher.
            cache={**shown},
        )
    return result


def _page(
    document: Document, attachments: Mapping[str, bytes], theme: Theme, tokens: Tokens, part: Part = "report"
) -> tuple[str, str]:
    """Return the HTML that becomes the PDF, and its style sheet."""
    document, layout = part_of(document, part)
    shown = tables_shown(document)
    # A table that is wider than a line of a portrait page goes to the landscape pages at the end.
    wide = frozenset(table.id for table in shown if natural_width(table) > LINE)

    def table_of(id: str) -> Table:
        # What is attached of a table of two forms is the full one.
        name = f"{id}.csv" if f"{id}.csv" in attachments else f"{id.removesuffix(COMPACT)}.csv"
        where = f"the attached {name}" if name in attachments else f"tables/{name}"
        return shortened(document.tables[id], LONGEST, where)

    def formula(math: Math, display: bool) -> str:
        return mathematics.image(math, colour=tokens["colour"]["light"]["ink"], display=display)

    context = MarkupNames(document, layout, formula, _image, table_of, {}, hidden=wide)
    placed_last = [table.id for table in shown if table.id in wide]
    page = set_template(html_environment(theme), "pdf/report.html.j2", context.names(), wide=placed_last, part=part)
    page = _with_letters(page, tokens)
    return page, f"{fonts.faces_from_files(tokens, page)}\n{stylesheet.paged(theme, tokens)}"


def _with_letters(page: str, tokens: Tokens) -> str:
    """Return the page with each character that no font has as its code point, and warn of them."""
    lost = fonts.uncovered(tokens, page)
    if lost:
        points = ", ".join(f"U+{ord(character):04X}" for character in lost)
        warnings.warn(f"no font has {points}; the PDF shows the code points. {remedy(tokens)}", stacklevel=2)
    return page.translate({ord(character): f"[U+{ord(character):04X}]" for character in lost})


def _image(figure: Figure) -> str:
    """Return a figure as an image, which WeasyPrint tags, with its alternative text."""
    return f'<img src="{figure_pdf.address(figure.id)}" alt="{escape.html(figure.alt)}">'


def _digest(page: str, css: str, attachments: Mapping[str, bytes], figures: Mapping[str, bytes]) -> bytes:
    """Return the identifier of the PDF: 16 bytes that follow from its content.

    Fonts stand by name, not by their folder.
    """
    digest = hashlib.sha256(page.encode())
    digest.update(css.split("}\n:root", 1)[-1].encode())
    for name, content in (*attachments.items(), *figures.items()):
        digest.update(name.encode())
        digest.update(hashlib.sha256(content).digest())
    return digest.hexdigest()[:32].encode()


def _attachment(name: str, content: bytes) -> Any:
    from datetime import UTC, datetime

    import weasyprint

    # WeasyPrint wants dates and would read the clock; `_finish` takes them out again.
    epoch = datetime(1980, 1, 1, tzinfo=UTC)
    return weasyprint.Attachment(
        string=content, name=name, created=epoch, modified=epoch, description=name, relationship="Data"
    )


def _finish(figures: Iterable[figure_pdf.FigureImage], _document: Any, pdf: Any) -> None:
    """Give the figures their fonts, and remove the dates of attachments, which are not known."""
    for figure in figures:
        figure.add_resources(pdf)
    for item in pdf.objects:
        parameters = getattr(item, "extra", {}).get("Params")
        if parameters is not None:
            for key in ("CreationDate", "ModDate"):
                parameters.pop(key, None)


def _fetcher(allowed: tuple[Path, ...]) -> Any:
    """Return a fetcher that serves data URIs and the given files, and nothing else."""
    from weasyprint.urls import FatalURLFetchingError, URLFetcher

    known = frozenset(path.resolve() for path in allowed)

    class Fetcher(URLFetcher):  # type: ignore[misc] # WeasyPrint is not typed
        def fetch(self, url: str, headers: Any = None) -> Any:
            parts = urlsplit(url)
            own = parts.scheme == "file" and Path(url2pathname(unquote(parts.path))).resolve() in known
            if parts.scheme != "data" and not own:
                raise FatalURLFetchingError(f"the report asks for {url[:200]!r}")
            return super().fetch(url, headers)

    return Fetcher(allowed_protocols=("data", "file"), allow_redirects=False, fail_on_errors=True)


@contextmanager
def _own_fonts(tokens: Tokens) -> Iterator[None]:
    """Have fontconfig, and so WeasyPrint, see the folders of the tokens' fonts and none of the system's.

    What a page shows would else depend on the machine: a letter that the style sheet has no font for is taken from any
    that is installed.
    """
    paths = dict.fromkeys(path.parent for path in fonts.shipped(tokens))
    folders = "".join(f"<dir>{escape.html(str(path))}</dir>" for path in paths)
    before = os.environ.get(_FONTCONFIG)
    with TemporaryDirectory() as cache:
        file = Path(cache) / "fonts.conf"
        file.write_text(
            f"<fontconfig>{folders}<cachedir>{escape.html(cache)}</cachedir></fontconfig>", encoding="utf-8"
        )
        os.environ[_FONTCONFIG] = str(file)
        try:
            yield
        finally:
            if before is None:
                del os.environ[_FONTCONFIG]
            else:
                os.environ[_FONTCONFIG] = before


@contextmanager
def _errors_raised(title: str) -> Iterator[None]:
    """Turn what WeasyPrint logs as an error, and a refused address, into a RenderError."""
    from weasyprint.urls import FatalURLFetchingError

    messages: list[str] = []

    class Collector(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            messages.append(record.getMessage())

    logger = logging.getLogger("weasyprint")
    collector = Collector(logging.ERROR)
    logger.addHandler(collector)
    try:
        yield
    except FatalURLFetchingError as error:
        messages.append(str(error))
    except RenderError:
        raise
    except Exception as error:  # whatever its layout stumbles over: the rest of a build is whole without a PDF
        what = f"the PDF cannot be set: WeasyPrint stopped at {type(error).__name__}: {error}"
        fix = "Leave the PDF out with --formats, and send the maintainers this message and the version of WeasyPrint."
        raise RenderError(Diagnostic("RG541", title, what, fix)) from error
    finally:
        logger.removeHandler(collector)
    if messages:
        raise RenderError(Diagnostic("RG541", title, f"the PDF cannot be set: {'; '.join(dict.fromkeys(messages))}"))
