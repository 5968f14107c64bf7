"""The nouns of the product (docs/architecture.md): runs, contracts, result records, presentation specs.

Lowest layer: imports nothing of the product. ``record`` needs msgspec and is imported by name, so that
``import reportgen.domain`` stays cheap.
"""
