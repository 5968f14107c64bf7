"""The site: MyST pages, a tour that is run while it is set, and reference pages made from the registries."""

from __future__ import annotations

import sys
from pathlib import Path

from sphinx.application import Sphinx

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from docs import formulas, registries  # noqa: E402  (the repository has to be on the path first)
from reportgen import __version__  # noqa: E402

project = "reportgen"
author = "the authors of reportgen"
project_copyright = author
version = release = __version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_click"]
exclude_patterns = ["_build"]
templates_path: list[str] = []

html_theme = "furo"
html_title = "reportgen"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_math_renderer = "outlines"
# Curly quotes, but no dashes: the options in help texts begin with two hyphens.
smartquotes_action = "qe"
html_last_updated_fmt = None

myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
myst_update_mathjax = False

nb_execution_mode = "force"
nb_execution_timeout = 600
nb_execution_raise_on_error = True
nb_execution_show_tb = True
nb_merge_streams = True

autodoc_member_order = "bysource"
autodoc_typehints = "none"
maximum_signature_line_length = 80


def setup(app: Sphinx) -> None:
    """Write the pages that are made from registries, before Sphinx looks for pages."""
    registries.write(HERE / "reference" / "made")
    app.add_html_math_renderer(
        "outlines", inline_renderers=(formulas.visit_inline, None), block_renderers=(formulas.visit_block, None)
    )
    app.connect("sphinx-click-process-description", _as_text)


def _as_text(app: Sphinx, context: object, lines: list[str]) -> None:
    """A star in a help text is a star (``tables/*.tex``), not the beginning of emphasis."""
    lines[:] = [line.replace("*", r"\*") for line in lines]
