"""From totals to values with their uncertainty: every metric on every subset, its intervals, folds and curves."""
