"""The version of this program, where every package may import it; the build reads it from here."""

__version__ = "1.0.0"
