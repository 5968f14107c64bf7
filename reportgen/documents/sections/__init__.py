"""The sections of the report, one file each.

A section file declares ``ID``, ``TITLE``, ``ORDER``, ``NEEDS`` and ``build(material) -> Section | None``; it joins
the report by existing.
"""
