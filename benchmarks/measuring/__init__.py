"""What the benchmarks share: synthetic runs, times, and how they are printed."""
