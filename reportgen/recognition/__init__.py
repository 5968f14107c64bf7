"""What the files of a folder are, believed from their names and their content, and the run.toml that says so.

``survey`` finds the files and reads them, ``columns`` says what a column is by its name and content, ``questions`` are
what nobody can know from the files, and ``proposal`` puts it together as a run.toml with a reason on each line.
``doors`` read a run: as run.toml declares it, else as it is recognised.
"""

from reportgen.recognition.doors import read, read_frame, read_several
from reportgen.recognition.proposal import Proposal, propose, run_toml, title_of
from reportgen.recognition.questions import OpenQuestion

__all__ = ["OpenQuestion", "Proposal", "propose", "read", "read_frame", "read_several", "run_toml", "title_of"]
