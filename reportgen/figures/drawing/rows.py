"""Saying which rows of a figure's data an artist shows, so that a page can show their values under the pointer."""

from __future__ import annotations

from collections.abc import Iterable

from matplotlib.artist import Artist

_MARK = "rows "


def show_rows(artist: Artist, rows: Iterable[int | None]) -> None:
    """Note on an artist the number of the row that each of its points shows, None for a point that shows none."""
    artist.set_gid(_MARK + " ".join("-" if row is None else str(row) for row in rows))


def rows_shown(artist: Artist) -> tuple[int | None, ...]:
    """Return what :func:`show_rows` has noted; empty for an artist that shows no data."""
    gid = artist.get_gid() or ""
    if not gid.startswith(_MARK):
        return ()
    return tuple(None if row == "-" else int(row) for row in gid.removeprefix(_MARK).split())
