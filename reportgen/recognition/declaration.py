"""The text of run.toml: what is believed, one thing a line, with the reason behind it as a comment."""

from __future__ import annotations

import json
from collections.abc import Iterable

from reportgen.domain.state_sources import has_unexplained_states
from reportgen.errors import printable
from reportgen.inputs.names import TREC_ROLES
from reportgen.recognition.proposal import Proposal

_HEAD = """\
# What reportgen init believes about this folder, and why. Correct what is wrong; what starts with # is not read.
# Then: reportgen check FOLDER, reportgen build FOLDER -o paper_bundle/v1.0."""
_OPTIONAL = """\
# dataset = "what the data are, in words"
# date = "2026-01-31"
# authors = ["A. Author"]
# synthetic = true            # for invented data: everything then says so
# contract = "field-standard" # the conventions; reportgen contract list shows the others"""
_STATES = """\
# states_from = "…"           # where the states come from, in words: tau_neg and tau_pos are not recorded for every
#                             # fold, and without a source nothing that rests on states is reported"""
_COMPARISONS = """\
# Systems are compared with the first one on the contract's first two headline metrics, unless this says otherwise.
# [comparisons]
# baseline = {baseline}
# family = {family}"""
_TREC = """\
# contract = "trec-eval"      # what trec_eval computes; by default ties keep the order of the lines"""


def run_toml(proposal: Proposal) -> str:
    """The content of run.toml for a proposal."""
    declared = proposal.declaration
    top = [_line("title", declared.title or "", "printed above everything")]
    if declared.positive_class is not None:
        top.append(_line("positive_class", declared.positive_class, "the class whose probability is asked for"))
    trec = [_TREC] if any(one.role in TREC_ROLES for one in proposal.files) else []
    states = [_STATES] if _unexplained(proposal) else []
    parts = ["\n".join([_HEAD, "", *top, _OPTIONAL, *states, *trec])]
    shared = [one for one in proposal.files if one.owner is None]
    files = [_line(one.role.value, one.path, _said(one.why, one.table.rows)) for one in shared]
    parts.append("\n".join(["[files]", *files, *_passed(proposal)]))
    if proposal.beliefs or _missing(proposal):
        columns = (_line(b.name, b.own[0] if len(b.own) == 1 else list(b.own), b.why) for b in proposal.beliefs)
        parts.append("\n".join(["# Canonical name = the file's own.", "[columns]", *columns, *_missing(proposal)]))
    parts += _systems(proposal)
    if len(declared.systems) > 1:
        family = f"[{', '.join(map(quoted, _family(proposal)))}]"
        parts.append(_COMPARISONS.format(baseline=quoted(declared.systems[0].id), family=family))
    return "\n\n".join(parts) + "\n"


def _unexplained(proposal: Proposal) -> bool:
    run = proposal.run
    return run is not None and any(has_unexplained_states(run, system) for system in run.trained.systems)


def _family(proposal: Proposal) -> tuple[str, ...]:
    """Two metrics that the run can be compared on."""
    ranks = proposal.run is not None and proposal.run.candidates is not None
    gates = proposal.run is not None and any(system.y_prob is not None for system in proposal.run.systems)
    if ranks and gates:
        return ("ndcg@10", "auroc")
    return ("ndcg@10", "recall@10") if ranks else ("auroc", "auprc")


def _systems(proposal: Proposal) -> Iterable[str]:
    reasons = {one.owner: _said(one.why, one.table.rows) for one in proposal.files}
    for entry in proposal.declaration.systems:
        own = [_line(role.value, path, reasons.get(entry.id, "")) for role, path in entry.files.items()]
        own += [_line(name, column, "holds numbers from 0 to 1") for name, column in entry.columns.items()]
        yield "\n".join(
            ["[[systems]]", f"id = {quoted(entry.id)}", f"label = {quoted(entry.id)} # as it is shown", *own]
        )


def _passed(proposal: Proposal) -> list[str]:
    return [f"# not used: {printable(one.path)} ({printable(one.why)})" for one in proposal.passed]


def _missing(proposal: Proposal) -> list[str]:
    """What no column of a table says, and what follows."""
    found = {belief.name for belief in proposal.beliefs}
    lines: list[str] = []
    if all(one.role in TREC_ROLES for one in proposal.files):
        return lines
    if "cluster" not in found:
        one = "row with the queries of its classes" if proposal.per_class else "query"
        lines.append(f'# cluster = "…"  no column looks like it: each {one} is a cluster of its own')
    if "fold" not in found:
        lines.append('# fold = "…"     no column looks like it: one hold-out split, without spread over folds')
    return lines


def _said(why: str, rows: int) -> str:
    return f"{rows:,} rows; {why}"


def _line(key: str, value: str | list[str], why: str) -> str:
    shown = quoted(value) if isinstance(value, str) else f"[{', '.join(map(quoted, value))}]"
    return f"{key} = {shown} # {printable(why)}" if why else f"{key} = {shown}"


def quoted(text: str) -> str:
    """A text as a TOML string."""
    # JSON's escapes are TOML's too; but TOML wants the delete character escaped, which JSON lets stand.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
