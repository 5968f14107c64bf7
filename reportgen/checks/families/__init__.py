"""The checks of a run, one module per family."""
