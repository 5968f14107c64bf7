"""What reading refuses to unpack, so that a small hostile file cannot fill the memory."""

MAX_BYTES = 2**31 - 2
"""Largest unpacked size of one input file (2 GiB)."""
MAX_TOML_BYTES = 2**22
"""Largest run.toml (4 MiB)."""
