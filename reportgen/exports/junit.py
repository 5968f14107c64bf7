"""The gate as JUnit XML, which pipelines show as tests: a case for each target, and for each check of the numbers.

A missed target and a check with a finding of the severity *error* fail; a check that was not made is skipped.

Source: the form that Jenkins, GitLab and GitHub's reporters read (testsuites, testsuite, testcase, failure, skipped).
"""

from __future__ import annotations

from lxml import etree

from reportgen.codes import registry
from reportgen.domain.record import Results
from reportgen.errors import Diagnostic, RequestError, printable
from reportgen.gate import judged, without_value

TITLE = "the gate as JUnit XML: targets and checks as test cases"


def export(results: Results, system: str | None) -> dict[str, bytes]:
    """Return the file; raises RequestError (RG724) for one system: checks are of the whole evaluation."""
    if system is not None:
        raise RequestError(Diagnostic("RG724", "junit", "speaks of all systems"))
    root = etree.Element("testsuites", name="reportgen")
    _targets(root, results)
    _checks(root, results)
    xml: bytes = etree.tostring(root, encoding="UTF-8", xml_declaration=True, pretty_print=True)
    return {"": xml}


def _targets(root: etree._Element, results: Results) -> None:
    cases = [(f"{one.metric} {one.goal}", one.system, one.target.met, one.sentence) for one in judged(results)]
    cases += [(check.message, "", False, check.why) for check in without_value(results)]
    suite = _suite(root, "targets", len(cases), sum(not met for _, _, met, _ in cases))
    for name, system, met, told in cases:
        case = _case(suite, name, f"targets.{system}" if system else "targets")
        if not met:
            _failure(case, told, told)


def _checks(root: etree._Element, results: Results) -> None:
    failed = [one for one in results.checks if one.status == "failed" and one.severity == "error"]
    skipped = [one for one in results.checks if one.status == "not_run"]
    suite = _suite(root, "checks", len(results.checks), len(failed), len(skipped))
    for one in results.checks:
        case = _case(suite, f"{one.code} {registry()[one.code].title}", f"checks.{one.where or 'run'}")
        if one in failed:
            _failure(case, one.message, str(one))
        elif one in skipped:
            etree.SubElement(case, "skipped", message=_text(one.message))
        else:
            etree.SubElement(case, "system-out").text = _text(one.message)


def _suite(root: etree._Element, name: str, tests: int, failures: int, skipped: int = 0) -> etree._Element:
    counts = {"tests": tests, "failures": failures, "errors": 0, "skipped": skipped}
    return etree.SubElement(root, "testsuite", name=name, **{key: str(n) for key, n in counts.items()})


def _case(suite: etree._Element, name: str, of: str) -> etree._Element:
    return etree.SubElement(suite, "testcase", name=_text(name), classname=_text(of), time="0")


def _failure(case: etree._Element, message: str, text: str) -> None:
    etree.SubElement(case, "failure", message=_text(message), type="failure").text = _text(text)


def _text(text: str) -> str:
    """Return text without what XML 1.0 cannot hold."""
    return "".join(c if c.isprintable() and c not in "\ufffe\uffff" else " " for c in printable(text))
