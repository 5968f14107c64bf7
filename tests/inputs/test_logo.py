"""A logo is a picture and nothing that acts or asks for another file."""

from __future__ import annotations

import io
import re
import subprocess
from base64 import b64decode
from pathlib import Path

import matplotlib.image
import numpy as np
import pytest

from reportgen.errors import InputError, ProblemList
from reportgen.inputs import read_run
from reportgen.inputs.logo import MAX_LOGO_BYTES, logo_address
from reportgen.render.logo import paper_file

SVG = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 3 2">{}</svg>'


def png(width: int = 3, height: int = 2) -> bytes:
    """A PNG that matplotlib wrote."""
    made = io.BytesIO()
    matplotlib.image.imsave(made, np.zeros((height, width, 3)), format="png")
    return made.getvalue()


def address(data: bytes, path: str) -> tuple[str, list[str]]:
    problems = ProblemList(InputError)
    return logo_address(data, path, problems), [f"{one.code} {one.message}" for one in problems.problems]


@pytest.mark.parametrize(
    ("data", "path", "kind"),
    [
        (png(), "logo.png", "data:image/png;base64,"),
        (SVG.format('<rect id="a" width="3" height="2"/><use xlink:href="#a"/>').encode(), "a/LOGO.SVG",
         "data:image/svg+xml;base64,"),
        (SVG.format('<style>rect { fill: url(#g) }</style><rect style="fill:url(#g)"/>').encode(), "x.svg",
         "data:image/svg+xml;base64,"),
        (SVG.format("<rect fill=\"url( '#g' )\"/>").encode(), "x.svg", "data:image/svg+xml;base64,"),
        (SVG.format("").encode("utf-16"), "x.svg", "data:image/svg+xml;base64,"),
    ],
)  # fmt: skip
def test_a_picture_is_kept_as_it_is(data: bytes, path: str, kind: str) -> None:
    found, problems = address(data, path)
    assert problems == []
    assert found.startswith(kind)
    assert b64decode(found.partition(",")[2]) == data


@pytest.mark.parametrize(
    ("data", "path", "says"),
    [
        (png()[:-1], "logo.png", "not a complete PNG"),
        (b"GIF89a", "logo.png", "not a complete PNG"),
        (png(), "logo.svg", "not XML"),
        (png(), "logo.jpg", "ends in .png or .svg"),
        (png().replace((3).to_bytes(4, "big"), (10_001).to_bytes(4, "big"), 1), "logo.png", "10,001 × 2 pixels"),
        (b"<html/>", "logo.svg", "not an SVG"),
        (b"<!DOCTYPE svg><svg/>", "logo.svg", "document type"),
        (SVG.format("<script>alert(1)</script>").encode(), "logo.svg", "<script>"),
        (SVG.format("<foreignObject/>").encode(), "logo.svg", "<foreignobject>"),
        (SVG.format('<rect onclick="x()"/>').encode(), "logo.svg", "onclick"),
        (SVG.format('<image href="https://x.org/a.png"/>').encode(), "logo.svg", "asks for another file"),
        (SVG.format('<use xlink:href="file:///etc/passwd#a"/>').encode(), "logo.svg", "asks for another file"),
        (SVG.format('<rect style="fill:url(https://x.org/a)"/>').encode(), "logo.svg", "another file in style"),
        ('<?xml version="1.0" encoding="utf-16"?><!DOCTYPE svg [<!ENTITY a "b">]><svg>&a;</svg>'.encode("utf-16"),
         "logo.svg", "document type"),
        (b'<?xml-stylesheet href="https://x.org/a.css"?><svg/>', "logo.svg", "xml-stylesheet"),
        (SVG.format('<set attributeName="xlink:href" to="http://x.org"/>').encode(), "logo.svg", "changes xlink:href"),
        (SVG.format("").replace("0 0 3 2", "x").encode(), "logo.svg", "not four numbers: x"),
        (SVG.format("").replace("0 0 3 2", f"0 0 {'9' * 400} 1").encode(), "logo.svg", "not four numbers"),
        (b'<svg width="ab%"/>', "logo.svg", "a width that is not a length: ab%"),
        (SVG.format(r'<rect style="fill:u\72l(https://x.org/a)"/>').encode(), "logo.svg", "another file in style"),
        (SVG.format(r"<style>@\69mport 'a.css';</style>").encode(), "logo.svg", "a style that asks for another file"),
        (png().replace(b"IDAT", b"IDAX"), "logo.png", "not a complete PNG"),
        (png().replace((3).to_bytes(4, "big") + (2).to_bytes(4, "big"), (9_000).to_bytes(4, "big") * 2), "logo.png",
         "9,000 × 9,000 pixels, more than 16,777,216"),
        (SVG.format('<style>@import "a.css";</style>').encode(), "logo.svg", "a style that asks for another file"),
    ],
)  # fmt: skip
def test_what_is_not_a_picture_or_could_act_is_refused(data: bytes, path: str, says: str) -> None:
    found, [problem] = address(data, path)
    assert found == ""
    assert problem.startswith("RG103")
    assert says in problem


@pytest.mark.parametrize("box", ["0 0 1 99999999", "0 0 99999999 1", "0 0 0 0", "0 0 -3 2"])
def test_a_picture_of_sides_that_no_title_has_room_for_is_drawn_in_the_usual_ones(box: str, tmp_path: Path) -> None:
    found, problems = address(SVG.replace("0 0 3 2", box).format("").encode(), "a.svg")
    assert problems == []
    (tmp_path / "logo.pdf").write_bytes(paper_file(found))
    said = subprocess.run(["pdfinfo", tmp_path / "logo.pdf"], capture_output=True, text=True, check=True).stdout
    # 14 mm high; twice as wide, as browsers draw a picture without sides. A point is 25.4/72 mm.
    assert re.search(r"Page size: +79\.3\d* x 39\.6", said)


def run_with(folder: Path, toml: str, **files: bytes) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "per_query.csv").write_text("y_true,y_prob\n1,0.9\n0,0.2\n")
    (folder / "run.toml").write_text(toml, encoding="utf-8")
    for name, data in files.items():
        (folder / name.replace("_", ".")).write_bytes(data)
    return folder


@pytest.mark.parametrize(
    ("toml", "code", "says"),
    [
        ('[report]\nlogo = "absent.png"\n', "RG101", "absent.png"),
        ('[report]\nlogo = "../logo.png"\n', "RG113", "leaves the run folder"),
        ('[report]\nlogo = "logo.png"\n', "RG108", "262,144 bytes"),
        (
            'authors = ["Ada Example"]\n[report.affiliations]\n"Ada Exampel" = "A"\n',
            "RG112",
            "'Ada Exampel' is not one",
        ),
        ('authors = ["Ada Example"]\n[report.affiliations]\n"Ada Example" = 3\n', "RG112", "one text in quotes"),
    ],
)
def test_a_wrong_setting_is_named_with_its_remedy(toml: str, code: str, says: str, tmp_path: Path) -> None:
    folder = run_with(tmp_path / "run", toml, logo_png=b"x" * (MAX_LOGO_BYTES + 1))
    with pytest.raises(InputError) as caught:
        read_run(folder)
    [problem] = caught.value.problems
    assert problem.code == code
    assert says in f"{problem.message} {problem.fix} {problem.where}"
