"""Results files of an older major version, rewritten in the present form.

Within a major version every file is read as it is: what a later minor version added is optional. Between major
versions a step renames and moves; numbers, their printed forms and their signatures are never touched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from reportgen.domain.record import SCHEMA_VERSION, Results
from reportgen.results import decode, does_not_follow, major_version

Data: TypeAlias = dict[str, Any]


def migrate(data: bytes, path: Path) -> Results:
    """Read the bytes of a metrics_master.json of this major version or an older one; ``path`` is named in errors.

    Raises:
        ResultsError: RG402 or RG404 if the bytes do not follow their own form, RG403 if they are of a later major
            version, or of one that no step starts from.
    """
    present = int(SCHEMA_VERSION.partition(".")[0])
    while (major := major_version(data, path)) in _STEPS and major < present:
        content = msgspec.json.decode(data)
        try:
            _STEPS[major](content)
        except (KeyError, TypeError, AttributeError) as error:
            raise does_not_follow(path, f"{error} is missing or malformed (schema version {major})") from None
        data = msgspec.json.encode({**content, "schema_version": f"{major + 1}.0.0"})
    return decode(data, path)


def _rename(objects: Iterable[Data], names: Mapping[str, str]) -> None:
    """Rename keys of objects where they have them, in place and without changing their order."""
    for one in objects:
        items = [(names.get(key, key), value) for key, value in one.items()]
        one.clear()
        one.update(items)


_DECIDERS = {"threshold": "threshold:tune"}
"""What decided every use under the convention ``gate``, where the decider has another name now."""


def _from_1(content: Data) -> None:
    """Rename ``scope`` to ``aggregation``, ``protocol`` to ``population``, and what was called a gate."""
    scoped = ("results", "curves", "comparisons", "sweeps", "readings")
    _rename((one for key in scoped for one in content.get(key, ())), {"scope": "aggregation"})
    _rename(content["subsets"], {"protocol": "population"})
    conventions = content["contract"]["conventions"]
    _rename([conventions], {"headline_scope": "headline_aggregation"})
    if "gate" in conventions:
        decider = _DECIDERS.get(conventions["gate"], conventions["gate"])
        del conventions["gate"]
        conventions |= {"multilabel_decider": decider, "deployment_decider": decider}
    _rename([content["run"].get("presentation", {}).get("report", {})], {"template": "document_class"})
    for comparison in content.get("comparisons", ()):
        if comparison["effect_size"]:
            comparison["effect_size"] |= _pairs(content, comparison)
    for metric in content["metrics"]:
        metric["family"] = "classification" if metric["family"] == "gate" else metric["family"]
    for system in content["systems"]:
        system["components"] = ["probability" if one == "gate" else one for one in system["components"]]


def _pairs(content: Data, comparison: Data) -> Data:
    """Return what the pairs of an effect size are, which its name alone said, and how many there are."""
    if comparison["effect_size"]["name"].endswith(f" {content['units']['cluster']['many']}"):
        subset = next(one for one in content["subsets"] if one["id"] == comparison["subset"])
        return {"over": "cluster", "n": subset["n_clusters"]}
    return {"over": "query", "n": sum(comparison[key] or 0 for key in ("wins", "ties", "losses"))}


_STEPS: Mapping[int, Callable[[Data], None]] = {1: _from_1}
"""By the major version that a step starts from; each changes the content in place."""
