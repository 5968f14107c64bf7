from __future__ import annotations

from pathlib import Path

import pytest

from reportgen import resources
from reportgen.errors import RenderError

ROOT = Path(__file__).resolve().parent.parent


def test_a_checkout_uses_its_top_level_folders() -> None:
    assert resources.templates_dir() == ROOT / "templates"
    assert resources.styles_dir() == ROOT / "styles"


def test_a_file_is_found_by_its_path_in_the_folder() -> None:
    assert resources.style_path("tokens.toml") == ROOT / "styles" / "tokens.toml"
    assert resources.template_path("html/report.html.j2") == ROOT / "templates" / "html" / "report.html.j2"


@pytest.mark.parametrize(
    "name", ["absent.toml", "../pyproject.toml", "css/../../pyproject.toml", "/etc/hostname", "css"]
)
def test_a_name_that_is_no_file_inside_the_folder_is_refused(name: str) -> None:
    with pytest.raises(RenderError, match=r"RG591 styles: there is no shipped file"):
        resources.style_path(name)


def test_the_folders_inside_a_wheel_come_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "site-packages" / "reportgen"
    (package / "_data" / "styles").mkdir(parents=True)
    (package.parent / "styles").mkdir()
    monkeypatch.setattr(resources, "_PACKAGE", package)
    assert resources._shipped.__wrapped__("styles") == package / "_data" / "styles"


def test_an_installation_without_the_folders_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "_PACKAGE", tmp_path / "reportgen")
    with pytest.raises(RenderError, match=r"RG590 .*'templates' is missing"):
        resources._shipped.__wrapped__("templates")
