"""The model index of a model card, as the Hugging Face Hub shows it beside a model.

Source: huggingface.co/docs/hub/model-cards, "Evaluation Results"; modelcard.md of huggingface/hub-docs. The front
matter is YAML, written here with every text as a quoted scalar, which is a JSON string too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from reportgen.domain.record import Estimate, Results
from reportgen.errors import Diagnostic, RequestError, printable
from reportgen.exports._selection import headline, interval
from reportgen.render.escape import markdown

TITLE = "model card with a model index (Hugging Face Hub); one system"

# What YAML 1.1 does not allow in a file, not even between quotes.
_NOT_YAML = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def export(results: Results, system: str | None) -> dict[str, bytes]:
    """Return the card as README.md: front matter for programs, one sentence per number for readers.

    Raises RequestError (RG722) where there are several systems and none is chosen, RG723 where it has no number.
    """
    if system is None:
        if len(results.systems) > 1:
            fix = f"Choose one with --system: {', '.join(results.system_by_id)}."
            raise RequestError(Diagnostic("RG722", "model-index", "the results are of several systems", fix))
        system = results.systems[0].id
    estimates = [item for item in headline(results, system) if item.value is not None]
    if not estimates:
        raise RequestError(Diagnostic("RG723", system, "has no headline number"))
    lines = ["---", *_front_matter(results, system, estimates), "---", "", *_body(results, system, estimates)]
    return {"": ("\n".join(lines) + "\n").encode()}


def _front_matter(results: Results, system: str, estimates: list[Estimate]) -> Iterator[str]:
    run = results.run
    yield "model-index:"
    yield f"- name: {_text(results.system_by_id[system].label)}"
    yield "  results:"
    yield "  - task:"
    yield "      type: other"
    yield f"      name: {_text(run.title)}"
    yield "    dataset:"
    yield f"      type: {_text(_slug(run.dataset or run.title))}"
    synthetic = " (synthetic data)" if run.synthetic else ""
    yield f"      name: {_text((run.dataset or run.title) + synthetic)}"
    yield "    metrics:"
    for item in estimates:
        yield f"    - type: {_text(item.metric)}"
        yield f"      name: {_text(results.metric_by_id[item.metric].name)}"
        yield f"      value: {_number(item.value or 0.0)}"
        yield "      args:"
        yield f"        subset: {_text(item.subset)}"
        yield f"        aggregation: {_text(item.aggregation)}"
        yield f"        queries: {item.n.queries}"
        if bounds := interval(results, item):
            yield f"        lower: {_number(bounds.lower)}"
            yield f"        upper: {_number(bounds.upper)}"
            yield f"        level: {_number(bounds.level)}"
        yield f"        conventions: {_text(results.signatures[item.signature])}"


def _body(results: Results, system: str, estimates: list[Estimate]) -> Iterator[str]:
    marked = " (synthetic data)" if results.run.synthetic else ""
    yield f"# {markdown(results.system_by_id[system].label)}: {markdown(results.run.title)}{marked}"
    yield ""
    for item in estimates:
        yield f"- {markdown(item.interpretation)}"
    contract = results.contract
    yield ""
    yield f"Conventions: {markdown(contract.title)} ({contract.id} {markdown(contract.version)})."


def _text(text: str) -> str:
    quoted = json.dumps(printable(text), ensure_ascii=False)
    return _NOT_YAML.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)


def _number(value: float) -> str:
    """Return a number at full precision; YAML 1.1 takes ``1e-05`` for a text, and ``1.0e-05`` for the number."""
    mantissa, e, exponent = repr(value + 0.0).partition("e")
    return f"{mantissa}{'' if '.' in mantissa or not e else '.0'}{e}{exponent}"


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "dataset"
