"""The reference implementation: every metric straight from its definition, in plain Python.

It shares no code with :mod:`reportgen.metrics`, does not import it, and knows nothing but the standard library and
:mod:`reportgen.domain`. Ratios are exact fractions, irrational terms are summed by ``math.fsum``, and loops stand where
the fast implementation has arrays. :mod:`.answers` reads a run a second time; :mod:`.ranking`, :mod:`.classification`,
:mod:`.calibration` and :mod:`.selection` hold one short function per formula, and :mod:`.rows` says what each takes.
An entry of the registry names its formula (``recompute``); which metrics exist, on which queries and under which
aggregations, the registry and the contract decide.
"""
