"""Requirements of versions in manifests, read and compared as PEP 440 has them.

`packaging` is imported only for manifests that state a version, so that others cost nothing.
"""

from __future__ import annotations

import re

# a requirement's name, and the versions that satisfy it
_NAME_AND_VERSIONS = re.compile(r"([a-z0-9-]+?)\s*((?:[<>=!~].*)?)")


def split_requirement(text: str) -> tuple[str, str]:
    """Split `rivers>=1.2, <2` into the module's name and the versions that satisfy it, which may be empty."""
    match = _NAME_AND_VERSIONS.fullmatch(text.strip())
    return (match[1], match[2].replace(" ", "")) if match else (text, "")


def find_version_fault(versions: str) -> str:
    """Return the part of `versions` that is not a version requirement, or an empty text."""
    from packaging.specifiers import InvalidSpecifier, Specifier

    for part in filter(None, versions.split(",")):
        try:
            Specifier(part)
        except InvalidSpecifier:
            return part
    return ""


def is_satisfied(version: str, versions: str) -> bool | None:
    """Return True if a version satisfies requirements; None if it is no PEP 440 version and cannot be compared.

    Pre-releases count as the versions they are.
    """
    from packaging.specifiers import SpecifierSet
    from packaging.version import InvalidVersion, Version

    try:
        return SpecifierSet(versions).contains(Version(version), prereleases=True)
    except InvalidVersion:
        return None
