"""Readers: files of predictions and rankings to a :class:`~reportgen.domain.run.Run`.

``layout`` finds the files (by run.toml, ``declaration``, or by their names), ``formats`` reads each into a
``table``, ``named`` gives the columns their canonical ``names`` and divides rows among systems, and ``queries``,
``candidates``, ``predictions`` and ``thresholds`` build the parts that ``read`` puts together. ``classes`` turns a
truth that names a class into 0 and 1; ``several`` puts the systems of several runs side by side, with one pool of
candidates (``pools``). Whatever is wrong is collected on the way and raised at the end as one
:class:`~reportgen.errors.InputError`.
"""

from reportgen.inputs.read import read_run
from reportgen.inputs.several import read_runs

__all__ = ["read_run", "read_runs"]
