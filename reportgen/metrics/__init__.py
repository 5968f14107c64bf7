"""Metrics in three pure steps: prepare (frames), statistic (totals under weights), finish (values)."""
