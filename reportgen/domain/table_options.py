"""The options of a table: what it shows, and how; one record for run.toml, the command line and Python.

A field of :class:`TableOptions` is a key of ``[tables.NAME]``, an option of ``reportgen tables`` and an argument of
``reportgen.tables``: a new one is added here alone, and obeyed in :mod:`reportgen.tables`.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

from msgspec import Meta, Struct, inspect

IntervalForm: TypeAlias = Literal["brackets", "below", "columns", "sd", "sd-and-interval", "none"]
"""How a value and its uncertainty are set; :mod:`reportgen.tables` draws each."""
Kind: TypeAlias = Literal["text", "texts", "choice", "flag", "number", "names", "numbers"]
"""``texts`` is a list, ``names`` a table of texts by name, ``numbers`` one of whole numbers."""
_MOST_TEXT, _MOST_CAPTION = 500, 4_000

_Text = Annotated[str, Meta(max_length=_MOST_TEXT)]
_Count = Annotated[int, Meta(ge=0)]
_Caption = Annotated[str, Meta(max_length=_MOST_CAPTION)]
_Decimals = Annotated[int, Meta(ge=0, le=10)]


class Wording(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A title and a caption in the author's words; where empty, the product's own stand."""

    title: Annotated[_Text, Meta(description="The title.")] = ""
    caption: Annotated[_Caption, Meta(description="The caption.")] = ""


class TableOptions(Wording, frozen=True, omit_defaults=True):
    """What a table shows and how; a default leaves it as it is."""

    base: Annotated[_Text, Meta(description="The shipped table that your own table starts from.")] = ""
    notes: Annotated[tuple[_Caption, ...], Meta(description="Notes to add below the table.")] = ()
    metrics: Annotated[tuple[_Text, ...], Meta(description="Ids of the metrics to show, in this order.")] = ()
    systems: Annotated[tuple[_Text, ...], Meta(description="Ids of the systems to show, in this order.")] = ()
    subsets: Annotated[tuple[_Text, ...], Meta(description="Ids of the subsets to show, in this order.")] = ()
    rows: Annotated[Literal["", "metrics", "systems", "subsets", "labels"], Meta(description="What the rows are.")] = ""
    groups: Annotated[
        Literal["", "metrics", "systems", "subsets", "families", "none"],
        Meta(description="What rows are grouped by, under a head."),
    ] = ""
    spanners: Annotated[
        Literal["", "metrics", "systems", "subsets", "families", "none"],
        Meta(description="What columns are grouped by, under a head."),
    ] = ""
    sort: Annotated[
        _Text, Meta(description="Id of the metric by which systems, or labels or subsets down, are ordered.")
    ] = ""
    columns: Annotated[tuple[_Text, ...], Meta(description="The columns to show, in this order.")] = ()
    leave_out: Annotated[tuple[_Text, ...], Meta(description="Columns to leave out.")] = ()
    add: Annotated[
        tuple[_Text, ...],
        Meta(description="Columns to add: n, positives, clusters, prevalence, or parameters of the systems."),
    ] = ()
    rename: Annotated[
        dict[str, _Text], Meta(description="What to call metrics, systems, subsets and columns: id, then text.")
    ] = {}
    split: Annotated[_Count, Meta(description="Maximum columns of values per part, where a table is split.")] = 0
    label: Annotated[_Text, Meta(description="A further label in LaTeX, for \\ref.")] = ""
    placement: Annotated[_Text, Meta(description="Where LaTeX may put the table, such as t or !htbp.")] = ""
    font_size: Annotated[
        Literal["", "small", "footnotesize", "scriptsize"],
        Meta(description="The largest type of the table in LaTeX."),
    ] = ""
    decimals: Annotated[
        _Decimals | None, Meta(description="Decimals of values and differences, as they are printed.")
    ] = None
    decimals_of: Annotated[dict[str, _Decimals], Meta(description="Decimals of single metrics: id, then number.")] = {}
    percent: Annotated[bool, Meta(description="Print proportions as percent.")] = False
    unit: Annotated[
        Literal["", "head", "cell"], Meta(description="Where the percent sign is: once by the name, or in each cell.")
    ] = ""
    thousands: Annotated[Literal["", "comma", "space", "none"], Meta(description="The mark of thousands in cells.")] = (
        ""
    )
    intervals: Annotated[
        Literal["", IntervalForm], Meta(description="How uncertainty is set, at any number of systems.")
    ] = ""
    mark: Annotated[
        Literal["", "best", "best-and-second", "none"], Meta(description="Which values are marked; none: no sign, too.")
    ] = ""
    mark_within: Annotated[
        Literal["", "table", "group"], Meta(description="Among which values the best is the best.")
    ] = ""
    against: Annotated[
        tuple[_Text, ...], Meta(description="Ids of the systems whose recorded tests give values a sign.")
    ] = ()
    signs: Annotated[Literal["", "daggers", "letters", "stars"], Meta(description="What the signs are.")] = ""
    changes: Annotated[
        Literal["", "points", "percent", "both"],
        Meta(description="Differences from the baseline beside each value."),
    ] = ""


class ShownOption(NamedTuple):
    """One field of the options, as a reader of them needs it."""

    name: str
    kind: Kind
    help: str
    """What it sets, as a sentence."""
    choices: tuple[str, ...] = ()
    """Of a choice, the words."""
    longest: int = _MOST_TEXT
    """Most characters of a text."""
    range: tuple[int | None, int | None] = (None, None)
    """The least and the greatest of a number."""

    @property
    def sentences(self) -> bool:
        """Whether its texts are sentences, which have commas of their own."""
        return self.longest > _MOST_TEXT


@cache
def table_options() -> tuple[ShownOption, ...]:
    """Return the options of a table, in their order."""
    return options_of(TableOptions)


def options_of(record: type[Struct]) -> tuple[ShownOption, ...]:
    """Return the fields of a record of options, in their order."""
    struct = inspect.type_info(record)
    assert isinstance(struct, inspect.StructType)
    return tuple(_option(field.name, field.type) for field in struct.fields)


def _option(name: str, type_: Any) -> ShownOption:
    assert isinstance(type_, inspect.Metadata), f"{name} has no description"
    words, type_ = (type_.extra_json_schema or {})["description"], type_.type
    kind: Kind
    choices: tuple[str, ...] = ()
    match type_:
        case inspect.VarTupleType():
            kind, type_ = "texts", type_.item_type
        case inspect.DictType(value_type=inspect.IntType()):
            kind, type_ = "numbers", type_.value_type
        case inspect.DictType():
            kind, type_ = "names", type_.value_type
        case inspect.LiteralType():
            kind, choices = "choice", tuple(str(word) for word in type_.values if word)
        case inspect.BoolType():
            kind = "flag"
        case inspect.UnionType(types=(inspect.IntType(), inspect.NoneType())):
            kind, type_ = "number", type_.types[0]
        case inspect.IntType():
            kind = "number"
        case _:
            kind = "text"
    range_ = (getattr(type_, "ge", None), getattr(type_, "le", None))
    return ShownOption(name, kind, words, choices, getattr(type_, "max_length", None) or _MOST_TEXT, range_)
