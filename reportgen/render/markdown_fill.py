r"""An author's own Markdown with the numbers filled in: ``{{rg ndcg@10 gnn}}`` becomes ``0.812``.

A reference is ``{{rg METRIC SYSTEM}}`` or ``{{rg METRIC SYSTEM PLACE}}``, where a place is a subset or
``subset|aggregation``; ``rginterval``, ``rgn``, ``rgsd``, ``rgp``, ``rgpadjusted`` and ``rgunit`` in place of ``rg``
give the other parts, as the LaTeX macros of these names do. A backslash in front (``\{{rg …}}``) keeps a reference
as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from reportgen.documents.quantities import PARTS, cite
from reportgen.domain.presentation import Quantity
from reportgen.errors import Diagnostic, ProblemList, RenderError
from reportgen.render.escape import markdown

_REFERENCE = re.compile(r"(?P<kept>\\?)\{\{\s*rg(?P<part>[a-z]*)\b(?P<words>[^{}\n]*)(?P<end>\}\})?")


def fill(text: str, known: Sequence[Quantity], *, where: str = "") -> str:
    """Replace the references of a text by the printed numbers; all else is left as it is.

    Args:
        text: Markdown, or any other text.
        known: What can be cited.
        where: The name of the text, for messages.

    Raises:
        RenderError: all problems together, each with its line. RG552 and RG553 as
            :func:`reportgen.documents.quantities.cite`; RG554, for a reference that is not written as one.
    """
    problems = ProblemList(RenderError)

    def filled(match: re.Match[str]) -> str:
        if match["kept"]:
            return match[0][1:]
        place = f"{where}:{text.count(chr(10), 0, match.start()) + 1}"
        words, part = match["words"].split(), match["part"] or "value"
        if not match["end"] or len(words) not in (2, 3) or part not in PARTS:
            problems.extend([_malformed(match[0], place)])
            return match[0]
        try:
            shown = cite(known, words[0], words[1], "".join(words[2:]), part, where=place)
        except RenderError as error:
            problems.extend(error.problems)
            return match[0]
        return markdown(shown.text)

    done = _REFERENCE.sub(filled, text)
    problems.raise_if_any()
    return done


def _malformed(written: str, where: str) -> Diagnostic:
    names = ", ".join("rg" if part == "value" else f"rg{part}" for part in PARTS)
    return Diagnostic(
        "RG554",
        where,
        f"'{written}' is not a reference to a result",
        f"Write {{{{rg METRIC SYSTEM}}}} or {{{{rg METRIC SYSTEM PLACE}}}}, with one of {names}; a backslash in front "
        "keeps it as it is.",
    )
