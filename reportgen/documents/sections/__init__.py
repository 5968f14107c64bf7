"""The record of the work, which closes the supplement: checks, conventions, definitions and provenance.

Each file declares ``ID``, ``TITLE`` and ``build(material)``, which gives its section, or None where there is nothing.
"""
