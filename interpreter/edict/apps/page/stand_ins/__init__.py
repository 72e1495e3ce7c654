"""Modules that stand in for libraries which are no Python; they lie beside them in the browser."""
