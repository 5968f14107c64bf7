"""Printed CSV as spreadsheets open it."""

from __future__ import annotations

from reportgen.formats import table_forms
from reportgen.formats.readers import csv_fields
from tests.support.tables import small


def test_the_printed_form_says_its_encoding_and_is_read_without_the_mark() -> None:
    render = table_forms()["csv-display"].render
    assert render is not None
    content = render(small())
    assert isinstance(content, str)
    # U+FEFF first, as RFC 3629, section 6, lets a file in UTF-8 begin.
    assert content.encode()[:3] == b"\xef\xbb\xbf"
    assert next(csv_fields(content.encode())).text == "Group"
