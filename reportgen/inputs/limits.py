"""What reading refuses to unpack, so that a small hostile file cannot fill the memory."""

MAX_BYTES = 2**31 - 2
"""Largest unpacked size of one input file (2 GiB)."""
MAX_CELLS = 2**29
"""Most cells of one input file, where the format counts them in advance (500 million)."""
MAX_NAME = 200
"""Most characters of the name of a system, label or fold: more fits no table and no figure."""
MAX_NOUN = 60
"""Most characters of the word for a unit, which stands in the heads of figures."""
MAX_TITLE = 500
"""Most characters of a title, an author's name or another short text of run.toml."""
MAX_CAPTION = 4_000
"""Most characters of the caption of a table or figure."""
MAX_TOML_BYTES = 2**22
"""Largest run.toml (4 MiB)."""
