"""Readers: files of predictions and rankings to a :class:`~reportgen.domain.run.Run`.

``layout`` finds the files (by run.toml, ``declaration``, or by their names), one of the ``formats`` reads each into a
``table``, ``named`` gives the columns their canonical ``names`` and divides rows among systems, and ``queries``,
``candidates`` and ``outputs`` build the parts that ``read`` and ``systems`` put together. ``classes`` turns a truth
that names a class into 0 and 1; ``several`` puts the systems of several runs side by side, with one pool of candidates;
``memory`` reads what is in memory. Whatever is wrong is collected on the way and raised at the end as one
:class:`~reportgen.errors.InputError`.
"""

from reportgen.inputs.read import read_run
from reportgen.inputs.several import read_runs

__all__ = ["read_run", "read_runs"]
