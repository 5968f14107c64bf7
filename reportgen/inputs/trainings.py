"""Systems that were trained several times: a column names the seed, and each training has rows of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from reportgen.errors import ProblemList
from reportgen.inputs.cells import quoted
from reportgen.inputs.ids import natural_sorted
from reportgen.inputs.named import SystemRows
from reportgen.inputs.names import FileRole


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
