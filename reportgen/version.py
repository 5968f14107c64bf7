"""The version of the package, which every layer may state."""

__version__ = "0.1.0"
