from __future__ import annotations

import pytest

from reportgen.bundle import outputs
from tests.bundle.small import small_presentation


@pytest.fixture
def small_outputs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bundle of one table and one figure, whose files the product's own formats name; only the PDF is not set."""
    monkeypatch.setattr(outputs, "present", small_presentation)
    monkeypatch.setattr("reportgen.render.report_pdf.render", lambda document, *others, **named: b"%PDF-1.7\n")
