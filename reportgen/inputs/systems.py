"""The systems of a run: which there are, and everything the files say of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from reportgen.domain.run import System, TunePart
from reportgen.errors import ProblemList
from reportgen.inputs.candidates import CandidatePart
from reportgen.inputs.declaration import WHERE, Declaration, SystemEntry
from reportgen.inputs.ids import natural_sorted, slugs
from reportgen.inputs.named import NamedTable, SystemRows, by_system, threshold_columns
from reportgen.inputs.names import SYSTEM_COLUMNS, UNNAMED, FileRole
from reportgen.inputs.nearest import nearest
from reportgen.inputs.outputs import (
    Predictions,
    assigned_states,
    build_predictions,
    build_thresholds,
    build_tune,
    check_selected,
)
from reportgen.inputs.queries import QueryPart
from reportgen.inputs.table import quoted

if TYPE_CHECKING:
    from reportgen.domain.run import FloatArray, IntArray

_PREDICTIONS = (FileRole.PREDICTIONS, FileRole.PER_QUERY)
_SHAPING = (*_PREDICTIONS, FileRole.CANDIDATES, FileRole.RUN)
"""Roles of the files that can say what a system predicted or ranked."""


@dataclass(frozen=True, slots=True, eq=False)
class SystemParts:
    """The parts of all files with their systems resolved, and the systems in order, as the data spell them."""

    names: tuple[str, ...]
    parts: tuple[SystemRows, ...]
    notices: tuple[str, ...] = ()
    seeds: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """System to training seed to the name of that training, for systems that were trained several times."""

    @property
    def every(self) -> tuple[str, ...]:
        """Return the names that parts have: of systems, and of trainings where a system has several."""
        return (*self.names, *(name for trainings in self.seeds.values() for name in trainings.values()))

    def of(self, system: str, *roles: FileRole) -> list[SystemRows]:
        """Return the parts of one system in files of some roles."""
        return [part for part in self.parts if part.system == system and part.source.role in roles]


def divide(
    tables: Sequence[NamedTable], declaration: Declaration, problems: ProblemList, misnamed: Set[str] = frozenset()
) -> SystemParts:
    """Divide all tables among the systems, and compare the systems found with the declared ones.

    ``misnamed`` are systems with a declared column that no file has, of which RG121 says enough.
    """
    parts = [part for table in tables if table.role is not FileRole.QUERIES for part in by_system(table, problems)]
    shaping = [part for part in parts if part.source.role in _SHAPING]
    named = {part.system for part in shaping if part.system} or {part.system for part in parts if part.system}
    declared = [entry.id for entry in declaration.systems]
    nameless = any(part.system is None and _speaks(part) for part in shaping)
    notices: tuple[str, ...] = ()
    only = UNNAMED
    if len(declared) == 1 or (not declared and len(named) == 1):
        only = declared[0] if declared else next(iter(named))
    elif nameless and declared:
        _which_system(shaping, declared, problems)
    elif nameless:
        notices = (f"nothing names the system of some columns, so it is called '{UNNAMED}'",)
    # Shared thresholds stay without a system: they hold for all. A shared document list speaks of none.
    parts = [replace(part, system=only) if part.system is None and _speaks(part) else part for part in parts]
    found = {part.system for part in parts if part.system and part.source.role in _SHAPING}
    _hold_against(found, declared, parts, misnamed, problems)
    names = tuple(name for name in declared if name in found) if declared else natural_sorted(found)
    if not names and not problems:
        tables[0].missing("y_prob", problems, "no file holds what a system predicted or ranked")
    trained = by_seed(parts, problems)
    return SystemParts(names, trained.parts, (*notices, *trained.notices), trained.names)


def _speaks(part: SystemRows) -> bool:
    said = (*SYSTEM_COLUMNS, "predicted", *part.source.metrics)
    return part.source.role is FileRole.TUNE or any(name in part.source for name in said)


def _which_system(parts: Sequence[SystemRows], declared: Sequence[str], problems: ProblemList) -> None:
    for part in parts:
        if part.system is None and _speaks(part):
            problems.add(
                "RG150",
                part.source.table.where,
                f"nothing says which system the rows are of, and run.toml declares {len(declared)} systems",
                "Add a 'system' column, or one column per system (score_<system>), or name the file or the column "
                "under its [[systems]].",
            )


def _hold_against(
    found: Set[str], declared: Sequence[str], parts: Sequence[SystemRows], misnamed: Set[str], problems: ProblemList
) -> None:
    known = declared or list(found)
    unknown = "run.toml does not declare it" if declared else "no prediction or score is of it"
    for part in parts:
        if part.system is not None and part.system not in known:
            problems.add(
                "RG150",
                part.source.table.where,
                f"unknown system '{part.system}': {unknown}" if part.system else "a row names no system",
                f"Correct the name ({nearest(part.system, known)}), or declare it under [[systems]].",
            )
    for name in declared:
        if name not in found and name not in misnamed:
            problems.add(
                "RG150",
                WHERE,
                f"unknown system '{name}': no file holds predictions or scores of it",
                f"Correct its id to the files' spelling ({nearest(name, found)})." if found else "Add its files.",
            )


def build_systems(
    divided: SystemParts, known: QueryPart, found: CandidatePart, declaration: Declaration, problems: ProblemList
) -> tuple[tuple[System, ...], tuple[str, ...]]:
    """Return everything about each system, aligned with queries and candidates; and what to tell the reader."""
    entries = {entry.id: entry for entry in declaration.systems}
    ids = slugs(divided.every)
    systems: list[System] = []
    notices: list[str] = []

    for name in divided.names:
        entry = entries.get(name, SystemEntry(name))
        said = entry.states_from or declaration.states_from
        bare = System(ids[name], entry.label or name, states_from=said, step=entry.step, params=entry.params)
        trainings = [
            replace(bare, id=ids[training], label=f"{bare.label}, seed {seed}", seed=seed)
            for seed, training in divided.seeds.get(name, {}).items()
        ]
        names = tuple(divided.seeds.get(name, {}).values()) or (name,)
        filled = []
        for training, system in zip(names, trainings or [bare], strict=True):
            scale = entry.scale or declaration.scale
            outputs, told = _with_outputs(training, system, scale, divided, known, found, declaration, problems)
            filled.append(outputs)
            notices += told
        known_of_all = next((one.states_from for one in filled if one.states_from), None)
        whole = replace(bare, states_from=known_of_all, trainings=tuple(filled)) if trainings else filled[0]
        if entry.states_from and not whole.states_from:
            notices.append(f"states_from of system '{name}' is not used: no file records its states")
        systems.append(whole)
    if declaration.states_from and not any(system.states_from for system in systems):
        notices.append("states_from is not used: no file records a state")
    return tuple(systems), tuple(dict.fromkeys(notices))


def _with_outputs(
    name: str,
    system: System,
    scale: str | None,
    divided: SystemParts,
    known: QueryPart,
    found: CandidatePart,
    declaration: Declaration,
    problems: ProblemList,
) -> tuple[System, list[str]]:
    """Return a system, or one training of it, with everything the files say of it; and what to tell the reader."""
    predictions = _predictions(name, divided, known, problems, scale)
    notices = list(predictions.notices)
    thresholds = _thresholds(name, divided, known, declaration, problems, scale)
    state = predictions.state
    if state is None and predictions.y_prob is not None:
        state = assigned_states(predictions.y_prob, known.queries.fold, thresholds)
        if state is not None:
            notices.append(f"states of system '{name}' follow from its probability, tau_neg and tau_pos")
    _selection(name, system.id, divided, predictions, known=known, found=found, problems=problems)
    filled = replace(
        system,
        y_prob=predictions.y_prob,
        y_prob_raw=predictions.y_prob_raw,
        scale=predictions.scale,
        predicted=predictions.predicted,
        state=state,
        states_from=system.states_from if predictions.state is not None else None,
        selected_k=predictions.selected_k,
        retrieved=found.retrieved.get(name),
        supplied=predictions.supplied,
        tune=_tune(name, divided, known, predictions, problems, scale),
        thresholds=thresholds,
    )
    return filled, notices


def _one(name: str, parts: Sequence[SystemRows], what: str, problems: ProblemList) -> SystemRows | None:
    if len(parts) > 1:
        listed = " and ".join(part.source.table.where for part in parts)
        problems.add("RG122", listed, f"both hold {what} of system '{name}'")
    return parts[0] if parts else None


def _predictions(
    name: str, divided: SystemParts, known: QueryPart, problems: ProblemList, scale: str | None
) -> Predictions:
    part = _one(name, divided.of(name, *_PREDICTIONS), "predictions", problems)
    return Predictions() if part is None else build_predictions(part, known.index, problems, scale)


def _thresholds(
    name: str,
    divided: SystemParts,
    known: QueryPart,
    declaration: Declaration,
    problems: ProblemList,
    scale: str | None,
) -> dict[str, FloatArray]:
    shared = [part for part in divided.parts if part.system is None and part.source.role is FileRole.THRESHOLDS]
    own = divided.of(name, FileRole.THRESHOLDS)
    part = _one(name, own or shared, "thresholds", problems)
    if part is not None:
        columns = threshold_columns(part.source, declaration)
        if not columns:
            part.source.missing("tau_neg", problems, "a thresholds file has columns called tau_…")
        return build_thresholds(part, columns, known, problems, scale)
    flat = divided.of(name, *_PREDICTIONS)
    if not flat:
        return {}
    return build_thresholds(flat[0], threshold_columns(flat[0].source, declaration), known, problems, scale)


def _tune(
    name: str,
    divided: SystemParts,
    known: QueryPart,
    predictions: Predictions,
    problems: ProblemList,
    scale: str | None,
) -> TunePart | None:
    part = _one(name, divided.of(name, FileRole.TUNE), "tuning predictions", problems)
    if part is None:
        return None
    evaluated = divided.of(name, *_PREDICTIONS)
    raw = bool(evaluated) and "y_prob" not in evaluated[0].source and predictions.y_prob is not None
    return build_tune(part, known, raw=raw, problems=problems, scale=scale)


def _selection(
    name: str,
    id: str,
    divided: SystemParts,
    predictions: Predictions,
    *,
    known: QueryPart,
    found: CandidatePart,
    problems: ProblemList,
) -> None:
    if predictions.selected_k is None:
        return
    limits: list[tuple[IntArray, str]] = [(known.n_candidates, "recorded for the query")]
    if (listed := found.n_listed(name, id, len(known.index))) is not None:
        limits.append(listed)
    check_selected(divided.of(name, *_PREDICTIONS)[0], predictions.selected_k, limits, known.index, problems)


def threshold_names(systems: Sequence[System]) -> tuple[str, ...]:
    """Return the names of all thresholds that some system records, in order of appearance."""
    return tuple(
        dict.fromkeys(name for system in systems for one in system.trainings or (system,) for name in one.thresholds)
    )


@dataclass(frozen=True, slots=True, eq=False)
class Trained:
    """The parts of all files by training."""

    parts: tuple[SystemRows, ...]
    names: Mapping[str, Mapping[str, str]]
    """System to training seed to the name its parts now have (``gnn/seed=1``); systems of one training are absent."""
    notices: tuple[str, ...]


def by_seed(parts: Sequence[SystemRows], problems: ProblemList) -> Trained:
    """Divide the parts of every system that has rows of two or more seeds among its trainings.

    What a file without seeds says of such a system (a ranking, thresholds) holds for every training, and is told.
    Records RG148 where tuning predictions name no seed, RG149 where a seed has no rows or a row no seed.
    """
    found: dict[str, set[str]] = {}
    for part in parts:
        if part.system is not None:
            found.setdefault(part.system, set()).update(_seeds(part))
    names = {
        system: {seed: f"{system}/seed={seed}" for seed in natural_sorted(seeds - {""})}
        for system, seeds in found.items()
        if len(seeds - {""}) > 1
    }
    divided: list[SystemRows] = []
    notices: dict[str, None] = {}
    for part in parts:
        trainings = names.get(part.system or "")
        if trainings is None:
            divided.append(part)
        elif "seed" in part.source:
            divided += _divided(part, trainings, problems)
        else:
            _may_be_shared(part, problems)
            notices[f"{part.source.table.where}: taken for every training of system '{part.system}' alike"] = None
            divided += [replace(part, system=name) for name in trainings.values()]
    return Trained(tuple(divided), names, tuple(notices))


def _seeds(part: SystemRows) -> set[str]:
    if "seed" not in part.source:
        return set()
    return {text or "" for text in part.source.cells("seed", part.rows).texts().unique().to_pylist()}


def _divided(part: SystemRows, trainings: Mapping[str, str], problems: ProblemList) -> list[SystemRows]:
    encoded = part.source.cells("seed", part.rows).texts().dictionary_encode()
    spelled = [text or "" for text in encoded.dictionary.to_pylist()]
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    lacking = [seed for seed in trainings if seed not in spelled]
    blank = "" in spelled or bool((codes < 0).any())
    if lacking or blank:
        problems.add(
            "RG149",
            part.source.table.where,
            f"system '{part.system}' has no row of training seed {quoted(lacking)}"
            if lacking
            else f"a row of system '{part.system}' names no training seed",
        )
    return [
        SystemRows(name, part.source, part.rows[np.flatnonzero(codes == spelled.index(seed))])
        for seed, name in trainings.items()
        if seed in spelled
    ]


def _may_be_shared(part: SystemRows, problems: ProblemList) -> None:
    if part.source.role is FileRole.TUNE:
        problems.add(
            "RG148", part.source.table.where, f"nothing says which training of system '{part.system}' the rows are of"
        )
