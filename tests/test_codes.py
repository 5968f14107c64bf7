"""One registry of codes, compared with the code of the product in both directions."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reportgen.codes import SEVERITIES, reference_page, registry

ROOT = Path(__file__).resolve().parent.parent
SOURCES = [path for path in sorted((ROOT / "reportgen").rglob("*.py")) if path.parent.name != "codes"]
USED = {code for path in SOURCES for code in re.findall(r'"(RG\d{3})"', path.read_text(encoding="utf-8"))}


def test_every_code_that_is_used_is_explained_and_every_explained_code_is_used():
    assert USED - set(registry()) == set(), "write an entry in reportgen/codes/*.toml"
    assert set(registry()) - USED == set(), "nothing raises or reports these codes any more"


@pytest.mark.parametrize("code", registry())
def test_an_entry_reads_as_a_title_and_two_sentences(code):
    entry = registry()[code]
    assert re.fullmatch(r"RG\d{3}", entry.code)
    assert not entry.title.endswith(".")
    assert entry.why.endswith(".")
    assert entry.fix.endswith(".")
    assert entry.severity in SEVERITIES
    assert entry.kind == "finding" or entry.severity == "error"


def test_errors_and_findings_do_not_share_codes():
    # An error class takes codes by their first digit; what it raises is not a finding.
    raised = re.compile(r'(?:Error\(\s*Diagnostic|problems\.add|report|refusal|_error)\(\s*(?:[^()]*?,\s*)?"(RG\d{3})"')
    codes = {code for path in SOURCES for code in raised.findall(path.read_text(encoding="utf-8"))}
    assert {registry()[code].kind for code in codes} == {"error"}


def test_the_reference_page_is_made_from_the_entries():
    page = (ROOT / "docs" / "reference" / "codes.md").read_text(encoding="utf-8")
    assert page == reference_page(), "run: reportgen explain --markdown > docs/reference/codes.md"
    assert all(f"- **{code}**" in page for code in registry())


def test_a_code_that_stands_twice_is_refused(tmp_path, monkeypatch):
    entry = '[Family.RG100]\ntitle = "a"\nseverity = "error"\nwhy = "b."\nfix = "c."\n'
    (tmp_path / "a.toml").write_text(entry)
    (tmp_path / "b.toml").write_text(entry)
    monkeypatch.setattr("reportgen.codes._FOLDER", tmp_path)
    with pytest.raises(ValueError, match="RG100 stands twice"):
        registry.__wrapped__()


def test_a_severity_that_does_not_exist_is_refused(tmp_path, monkeypatch):
    (tmp_path / "findings.toml").write_text('[Family.RG100]\ntitle = "a"\nseverity = "fatal"\nwhy = "b."\nfix = "c."\n')
    monkeypatch.setattr("reportgen.codes._FOLDER", tmp_path)
    with pytest.raises(ValueError, match="RG100: 'fatal' is not a severity"):
        registry.__wrapped__()
