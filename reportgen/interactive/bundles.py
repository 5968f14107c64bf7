"""The whole bundle, from Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from reportgen.bundle import ThemeRequest, Written, choose_theme, without_names, write_bundle, write_file
from reportgen.formats import Made, formats, present
from reportgen.formats.docx import filled
from reportgen.interactive import fragments
from reportgen.interactive.results import Results, evaluate
from reportgen.interactive.runs import Run
from reportgen.render import escape
from reportgen.render.html_table import styled


@dataclass(frozen=True, slots=True)
class Bundle(Written):
    """A bundle that was written: its folder, its files, their size in bytes, and what could not be shown as it is."""

    def _repr_html_(self) -> str:
        said = f"{len(self.files)} files ({self.size / 1e6:.1f} MB) in {self.directory}"
        left_out = [f"{missing.head}. {missing.fix}" for missing in self.lacking]
        return styled(f"<p>{escape.html(said)}</p>", fragments.items("Notes", [*self.notes, *left_out]))


def build(
    source: Results | Run | str | Path,
    target: str | Path,
    *,
    formats: Sequence[str] | None = None,
    theme: str | Path | None = None,
    options: Mapping[str, object] | None = None,
    document_class: str | None = None,
    arxiv: bool = False,
    anonymous: bool = False,
    jobs: int = 1,
) -> Bundle:
    """Write everything that a paper needs into one folder; an older bundle there is replaced as a whole, at the end.

    Args:
        source: results, or a run that is evaluated as it declares.
        target: the folder; absent, empty, or an untouched bundle.
        formats: of ``html``, ``pdf``, ``latex``, ``csv``, ``xlsx``, and on request ``docx``, ``csv-display``, ``md``,
            ``html-tables``, ``xlsx-tables``, ``png``, ``figure-data`` and those of other
            packages; all that are not on request if omitted.
        theme: a shipped theme, or the folder of one; as the run says if omitted.
        options: values of the theme's options.
        document_class: the class that the paper is set in: ``article``, ``twocolumn``, ``ieeetran``, ``acmart``.
        arxiv: whether to pack the paper as arXiv takes it, too.
        anonymous: whether to take names of authors, links, addresses and paths out of everything first, for
            double-blind review. What else gives authors away, such as a laboratory in the title, is left.
        jobs: processes to use; changes no byte.

    >>> from tempfile import TemporaryDirectory
    >>> import reportgen as rg
    >>> results = rg.evaluate("sample_runs/tiny", resamples=200)
    >>> with TemporaryDirectory() as folder:
    ...     bundle = rg.build(results, f"{folder}/v1.0", formats=["csv"])
    >>> "metrics_master.json" in bundle.files
    True

    Raises:
        OutputError: the folder holds something else, or cannot be written.
        RenderError: a table or figure cannot be set; there is no such theme, option or document class; or two names
            would become one (RG585).
    """
    results = source if isinstance(source, Results) else evaluate(source, jobs=jobs)
    record, per_query = results.record, results.per_query
    if anonymous:
        record, per_query = without_names(record, per_query)
    record, chosen = choose_theme(record, results.folder, ThemeRequest(theme, options or {}, document_class))
    written = write_bundle(
        record,
        Path(target),
        per_query=per_query,
        theme=chosen,
        formats=formats,
        arxiv=arxiv,
        jobs=jobs,
    )
    return Bundle(written.directory, written.files, written.size, written.notes, written.lacking)


def docx(
    source: Results | Run | str | Path,
    target: str | Path,
    *,
    template: str | Path | None = None,
    theme: str | Path | None = None,
    options: Mapping[str, object] | None = None,
    anonymous: bool = False,
) -> tuple[Path, ...]:
    """Write the report and its supplement as Word documents, or fill a Word document of your own.

    Args:
        source: results, or a run that is evaluated as it declares.
        target: the document, ``report.docx``; the supplement is ``report-supplement.docx``.
        template: a document or template of Word with placeholders, such as ``{{ table("main-results") }}``; it alone
            is filled.
        theme: a shipped theme, or the folder of one; as the run says if omitted.
        options: values of the theme's options.
        anonymous: whether to take names of authors, links, addresses and paths out first, as :func:`build` does.

    Returns:
        What was written.

    Raises:
        OutputError: the document cannot be written.
        RenderError: a table or figure cannot be set; the template cannot be read, or names what does not exist.
    """
    results = source if isinstance(source, Results) else evaluate(source)
    record = without_names(results.record, None)[0] if anonymous else results.record
    record, chosen = choose_theme(record, results.folder, ThemeRequest(theme, options or {}))
    shown, target = present(record, chosen, lambda: results.per_query), Path(target)
    format = formats()["docx"]
    supplement = target.with_stem(f"{target.stem}-supplement")
    if template is None:
        made = {name: content for one in format.documents for name, content in one(shown, Made()).items()}
    else:
        made = {format.report: filled(Path(template), shown)}
    places = {format.report: target, format.supplement: supplement}
    written = {places[name]: content for name, content in made.items()}
    for place, content in written.items():
        write_file(place, content)
    return tuple(sorted(written))
