"""Hand-built values that several tests share."""
