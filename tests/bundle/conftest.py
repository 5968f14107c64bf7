from __future__ import annotations

import pytest

from reportgen.bundle import parts
from tests.bundle.small import SMALL_PARTS, small_presentation


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bundle whose parts write a line each, for tests of what holds them together."""
    monkeypatch.setattr(parts, "_PARTS", SMALL_PARTS)
    monkeypatch.setattr(parts, "present", small_presentation)
