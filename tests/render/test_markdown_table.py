from reportgen.domain.presentation import Cell, Row, RowGroup
from reportgen.render import markdown_table
from tests.support.tables import small


def test_a_table_is_a_pipe_table_with_caption_above_and_notes_below() -> None:
    assert markdown_table.render(small()) == (
        "**Small table.** One message. The mean ȳ of synthetic data.\n"
        "\n"
        "| Metric | Systems: A | Systems: B (per 1,000) | n |\n"
        "| --- | ---: | ---: | ---: |\n"
        "| **First group** |  |  |  |\n"
        "| AUROC | **0.946** [0.939, 0.953] | n/a | 1,477 |\n"
        "| **Second group** |  |  |  |\n"
        "| Alert rate | <ins>62.5</ins> [60.1, 64.0] | n/a | 14,770 |\n"
        "| None | —<sup>a</sup> | n/a | 3 |\n"
        "\n"
        "- <sup>a</sup> —: one class only.\n"
        "- Brackets hold 95 % intervals.\n"
    )


def test_a_pipe_in_a_text_ends_no_cell() -> None:
    row = Row((Cell("a | b"), Cell(), Cell(), Cell()))
    line = markdown_table.render(small(groups=(RowGroup("", (row,)),), notes=())).splitlines()[-1]
    assert line == r"| a \| b |  |  |  |"
