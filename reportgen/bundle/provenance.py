"""Where the bundle comes from, in the words of RO-Crate 1.1.

Source: RO-Crate Metadata Specification 1.1.3, sections "Root Data Entity" and "Provenance of entities".
"""

from __future__ import annotations

import json
from typing import Any

from reportgen.domain.record import Results
from reportgen.formats import kind_of

NAME = "ro-crate-metadata.json"
_CONTEXT = ["https://w3id.org/ro/crate/1.1/context", {"sha256": "https://schema.org/sha256"}]


def ro_crate(results: Results, files: list[str]) -> bytes:
    """Return the crate's metadata: the folder, its files, what it was computed from, with what.

    ``datePublished``, which the specification asks for, is the date of the results; without a date it is absent
    (MANIFEST.md then says so). Sums of the files are in SHA256SUMS, sums of the inputs here.
    """
    graph = [
        {
            "@id": NAME,
            "@type": "CreativeWork",
            "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
            "about": {"@id": "./"},
        },
        _root(results, files),
        *(_file(name) for name in files),
        *_origin(results),
    ]
    return (json.dumps({"@context": _CONTEXT, "@graph": graph}, ensure_ascii=False, indent=1) + "\n").encode()


def _root(results: Results, files: list[str]) -> dict[str, Any]:
    kind = "Synthetic data. " if results.run.synthetic else ""
    return {
        "@id": "./",
        "@type": "Dataset",
        "name": results.run.title,
        "description": kind + (results.run.description or f"Evaluation results of {results.run.title}."),
        **({"datePublished": results.created} if results.created else {}),
        "license": "The evaluation's own; reportgen sets none.",
        "author": [{"@id": f"#author-{i}"} for i, _ in enumerate(results.run.authors, 1)],
        "hasPart": [{"@id": name} for name in files],
        "mentions": {"@id": "#evaluation"},
    }


def _file(name: str) -> dict[str, Any]:
    return {"@id": name, "@type": "File", "name": name, "encodingFormat": kind_of(name).media_type}


def _origin(results: Results) -> list[dict[str, Any]]:
    """Describe the evaluation as an action: inputs, software, contract."""
    generator = results.generator
    inputs = [
        {
            "@id": f"#input-{record.id}",
            "@type": "CreativeWork",
            "name": record.path,
            "description": f"{record.role}, {record.rows} rows",
            "sha256": record.sha256,
        }
        for record in results.inputs
    ]
    contract = {
        "@id": "#contract",
        "@type": "CreativeWork",
        "name": f"{results.contract.title} ({results.contract.id})",
        "version": results.contract.version,
        "sha256": results.contract.sha256,
    }
    software = {
        "@id": "#software",
        "@type": "SoftwareApplication",
        "name": generator.name,
        "version": generator.version,
        "softwareRequirements": [
            f"Python {generator.python}",
            *(f"{k} {v}" for k, v in generator.dependencies.items()),
        ],
    }
    action = {
        "@id": "#evaluation",
        "@type": "CreateAction",
        "name": results.command,
        "instrument": {"@id": "#software"},
        "object": [{"@id": entity["@id"]} for entity in (*inputs, contract)],
        "result": {"@id": "./"},
    }
    authors = [
        {"@id": f"#author-{i}", "@type": "Person", "name": name} for i, name in enumerate(results.run.authors, 1)
    ]
    return [action, software, contract, *inputs, *authors]
