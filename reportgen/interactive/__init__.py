"""The package as Python and notebooks use it: few functions, and values that show themselves.

``runs`` makes a run (from files, arrays, frames, rankings), ``results`` evaluates it, ``exhibits`` sets tables and
figures, ``bundles`` writes everything, ``fragments`` is the HTML that a notebook shows, and ``computing`` the steps
of an evaluation, which the command line takes too. The public names are those of :mod:`reportgen`.
"""
