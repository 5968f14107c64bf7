"""A real browser without a window, and the rules of axe-core, for the tests of pages."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

_AXE = Path(__file__).resolve().parents[1] / "axe" / "node_modules" / "axe-core" / "axe.min.js"
# WCAG 2.2 at levels A and AA, which include all before them, and what axe-core advises beyond.
_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@contextmanager
def chromium(width: int = 1280, height: int = 900, *, scripts: bool = True) -> Iterator[Chrome]:
    """Chromium with a window of this size; the test is skipped where it is not installed."""
    browser, driver = (shutil.which(name) for name in ("chromium", "chromedriver"))
    if not browser or not driver:
        pytest.skip("Chromium or its driver is not installed (Debian: chromium, chromium-driver)")
    options = Options()
    options.binary_location = browser
    for argument in ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage"):
        options.add_argument(f"--{argument}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    if not scripts:
        options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
    made = Chrome(options=options, service=Service(driver))
    try:
        resize(made, width, height)
        made.set_script_timeout(300)
        yield made
    finally:
        made.quit()


def resize(browser: Chrome, width: int, height: int) -> None:
    """The window's inner size, also below the width that a real window can have."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def prefer(browser: Chrome, scheme: str) -> None:
    """The colours that the system asks for, ``light`` or ``dark``."""
    features = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", features)


def violations(browser: Chrome, within: str = "html") -> list[str]:
    """What axe-core finds wrong with the page as it stands, or with the part a selector names, a line per element."""
    if not _AXE.is_file():
        pytest.skip("axe-core is not installed (npm ci --prefix tests/axe)")
    browser.execute_script(_AXE.read_text(encoding="utf-8"))
    found: dict[str, Any] = browser.execute_async_script(
        "const done = arguments[2];"
        "axe.run(arguments[1], {runOnly: arguments[0], resultTypes: ['violations']})"
        ".then(done, (error) => done({error: `${error}`}));",
        _RULES,
        within,
    )
    assert "error" not in found, found
    return [f"{rule['id']}: {node['html'][:200]}" for rule in found["violations"] for node in rule["nodes"]]
