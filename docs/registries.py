"""Reference pages made from what the package itself knows: contracts and the schema of the results."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from reportgen.contracts import DEFAULT, contract_ids, differences, load_contract, vocabulary
from reportgen.domain.contract import Contract
from reportgen.results import schema


def write(folder: Path) -> None:
    """Write all pages into a folder; a page that says the same already is left, so that a build sees no change."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, page in (("contracts.md", contracts()), ("schema.md", results())):
        path = folder / name
        if not path.is_file() or path.read_text(encoding="utf-8") != page:
            path.write_text(page, encoding="utf-8")


def contracts() -> str:
    """The page of contracts: the conventions of the default in full, and of each other where it differs."""
    default = load_contract(DEFAULT)
    lines = [
        "# Contracts",
        "",
        "A contract is a named, versioned set of conventions. This page is made from the shipped contracts; "
        "`reportgen contract show NAME` prints one, `reportgen contract diff A B` two side by side. A contract of your "
        "own is a TOML file: copy one, and name it with `--contract` or in run.toml.",
        "",
        f"## {default.title}",
        "",
        f"`{default.id}` {default.version}, used where nothing else is said.",
        "",
    ]
    for key, value in default.conventions.items():
        entry = vocabulary()[key]
        others = ", ".join(f"`{word}`" for word in entry.values if word != value)
        lines += [
            f"`{key}` = `{value}`",
            f": {_sentence(entry.says(value))}{'' if not others else f' *Others:* {others}.'}",
            "",
        ]
    for name in contract_ids():
        if name != DEFAULT:
            lines += [*_against(default, load_contract(name)), ""]
    return "\n".join(lines)


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:].rstrip('.')}."


def _against(default: Contract, other: Contract) -> Iterator[str]:
    yield f"## {other.title}"
    yield ""
    yield f"`{other.id}` {other.version}. {f'Source: {other.source}.' if other.source else ''}".rstrip()
    yield ""
    yield f"| differs in | {other.title} | {default.title} |"
    yield "|---|---|---|"
    for key, (own, others) in differences(other, default).items():
        yield f"| {key} | {_cell(own)} | {_cell(others)} |"


def _cell(value: Any) -> str:
    if isinstance(value, tuple | list):
        shown = [str(item) for item in value]
        return ", ".join(shown) if len(shown) <= 12 else f"{', '.join(shown[:12])} and {len(shown) - 12} more"
    return str(value)


def results() -> str:
    """The page of the file of results: every record, with its fields, their types and defaults."""
    data: Mapping[str, Any] = schema()
    lines = [
        "# The file of results",
        "",
        "`metrics_master.json` is one object, `Results`. This page is made from its JSON Schema, which "
        "`reportgen schema` prints. Keys that are not listed are refused.",
        "",
    ]
    for name, record in data["$defs"].items():
        required = set(record.get("required", ()))
        lines += [f"## {name}", "", record.get("description", "").strip(), ""]
        lines += ["| key | type | if absent |", "|---|---|---|"]
        lines += [
            f"| `{key}` | {_type(field)} | {'' if key in required else _default(field)} |"
            for key, field in record.get("properties", {}).items()
        ]
        lines.append("")
    return "\n".join(lines)


def _default(field: Mapping[str, Any]) -> str:
    return f"`{json.dumps(field['default'], ensure_ascii=False)}`" if "default" in field else "empty"


def _type(field: Mapping[str, Any]) -> str:
    if "$ref" in field:
        name = field["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in field:
        return " or ".join(_type(option) for option in field["anyOf"])
    if "enum" in field:
        return " or ".join(f"`{json.dumps(word, ensure_ascii=False)}`" for word in field["enum"])
    if field.get("type") == "array":
        parts = field.get("prefixItems", [])
        return f"list of {_type(field['items'])}" if not parts else f"[{', '.join(_type(part) for part in parts)}]"
    if field.get("type") == "object" and "additionalProperties" in field:
        return f"object of {_type(field['additionalProperties'])}"
    return str(field.get("type", "anything"))
