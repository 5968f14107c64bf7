"""What the files of a folder are, believed from their names and their content, and the run.toml that says so.

``survey`` finds the files and reads them, ``columns`` says what a column is by its ``contents``, ``proposal`` puts it
together, ``questions`` are what nobody can know from the files, ``declaration`` is the text of run.toml with a
reason on each line.
"""

from reportgen.recognition.declaration import run_toml
from reportgen.recognition.proposal import Proposal, propose
from reportgen.recognition.questions import Question

__all__ = ["Proposal", "Question", "propose", "run_toml"]
