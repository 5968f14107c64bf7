"""Isotonic regression of rates, in whole numbers."""

from __future__ import annotations

from collections.abc import Sequence


def isotonic(n: Sequence[int], y: Sequence[int]) -> list[tuple[int, int]]:
    """Blocks (rows, positives) of the isotonic regression of the rates y / n, in rising order of forecast.

    Pool adjacent violators (Barlow et al. 1972; scipy.optimize.isotonic_regression).
    """
    blocks: list[tuple[int, int]] = []
    for size, positives in zip(n, y, strict=True):
        total, hits = size, positives
        while blocks and blocks[-1][1] * total >= hits * blocks[-1][0]:
            before = blocks.pop()
            total, hits = total + before[0], hits + before[1]
        blocks.append((total, hits))
    return blocks
