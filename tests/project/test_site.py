"""The documentation site: every page is on it, no link is broken, and it works without a network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

pytest.importorskip("sphinx", reason="Sphinx is not installed (the extra `docs`)")

FEW = ("E0117", "E0201", "S0003")


@pytest.fixture(scope="module")
def site(root: Path) -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(root / "docs" / "site"))
        import make_site

        yield make_site


@pytest.fixture(scope="module")
def pages(site: ModuleType) -> dict[str, str]:
    """Return all pages except the rulebooks, which take longer."""
    made = site.site_pages
    return {name: text for part in (made.written, made.messages, made.reference, made.rules) for name, text in part()}


def test_every_docs_page_is_on_the_site_and_in_its_contents(
    pages: dict[str, str], root: Path, subtests: pytest.Subtests
) -> None:
    trees = pages["index.md"].split("```{toctree}")[1:]
    listed = [line for tree in trees for line in tree.partition("```")[0].splitlines()]
    for page in (root / "docs").rglob("*.md"):
        with subtests.test(page=page):
            name = page.relative_to(root / "docs").as_posix().replace("README.md", "index.md")
            assert name in pages, name
            if page.parent.name != "decisions" and name != "index.md":
                assert name.removesuffix(".md") in listed, name
    assert "decisions/index" in listed
    records = [record.stem for record in (root / "docs" / "decisions").glob("[0-9]*.md")]
    assert len(records) > 100 and all(f"\n{record}\n" in pages["decisions/index.md"] for record in records)


def test_every_diagnostic_has_a_page_and_an_index_line(
    pages: dict[str, str], root: Path, subtests: pytest.Subtests
) -> None:
    codes = [page.stem for page in (root / "grammar" / "diagnostics").glob("*.md")]
    assert len(codes) > 100
    for code in codes:
        with subtests.test(code=code):
            assert pages[f"messages/{code}.md"].startswith(f"# {code}: ")
            assert f"[{code}]({code}.md)" in pages["messages/index.md"]


def test_all_shipped_rules_have_a_page_and_a_rulebook(
    site: ModuleType, pages: dict[str, str], root: Path, subtests: pytest.Subtests
) -> None:
    shipped = site.site_pages.shipped()
    folders = {folder.resolve() for folder, _ in shipped.values()}
    for top in ("modules", "examples", "examples/recipes"):
        with subtests.test(top=top):
            assert {one.parent.resolve() for one in (root / top).glob("*/module.yaml")} <= folders
    assert {f"rules/{name}.md" for name in shipped} <= set(pages)
    assert "``````edict\n" in pages["rules/pig.md"]
    for name in ("pig", "governors"):
        with subtests.test(name=name):
            page = site.site_pages.rulebook_page(name)
            assert page.startswith("# ") and "## Contents" not in page and "](#" not in page
    assert site.site_pages.rulebook_page("governors").startswith("# Kingsburg with Module 3: Governor Cards\n")


def test_every_public_name_is_in_the_reference(site: ModuleType, subtests: pytest.Subtests) -> None:
    """Sphinx reads the names from `__all__`, and finds each by `dir`."""
    import edict
    import edict.gym

    assert set(site.site_pages.LIBRARIES) >= {"edict", "edict.gym"}
    for library in (edict, edict.gym):
        with subtests.test(library=library):
            assert set(library.__all__) <= set(dir(library))
            assert all(getattr(library, name).__doc__ for name in library.__all__ if callable(getattr(library, name)))


def test_small_site_builds_without_warnings(site: ModuleType, pages: dict[str, str], tmp_path: Path) -> None:
    names = ("guides/drawing.md", "api/edict.md", *(f"messages/{code}.md" for code in FEW))
    few = {name: pages[name] for name in names}
    few["index.md"] = "# Site\n\n```{toctree}\n:glob:\n\nguides/*\napi/*\nmessages/*\n```\n"
    assert site.make(tmp_path, few.items()) == []
    page = (tmp_path / "html" / "messages" / "E0201.html").read_text(encoding="utf-8")
    assert 'class="highlight-edict' in page and '<span class="k">when</span>' in page
    assert "RulesError" in (tmp_path / "html" / "api" / "edict.html").read_text(encoding="utf-8")


def test_broken_and_external_links_are_found(site: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "there.html").write_text('<p id="here">', encoding="utf-8")
    (tmp_path / "index.html").write_text(
        '<a href="there.html#here"><a href="there.html#gone"><a href="gone.html"><script src="https://cdn.example/x.js">',
        encoding="utf-8",
    )
    found = list(site.broken(tmp_path))
    assert len(found) == 3 and all("gone" in line or "cdn.example" in line for line in found)


def test_broken_link_in_the_docs_is_an_error(site: ModuleType) -> None:
    with pytest.raises(site.BrokenLink, match=r"docs/reference/views.md links to gone.md"):
        site.site_pages.target("docs/reference/views.md", "gone.md", linked=set())


def test_link_to_a_diagnostic_leads_to_its_page(site: ModuleType) -> None:
    linked: set[str] = set()
    to = site.site_pages.target("docs/guides/translating.md", "../../grammar/diagnostics/E0168.md", linked=linked)
    assert (to, linked) == ("../messages/E0168.md", set())


def test_links_are_rewritten_for_the_site_but_not_in_code(site: ModuleType) -> None:
    import site_links

    text = "See [docs/views.md](docs/views.md) and [how](docs/views.md#a).\n\n```\n[a](b.md)\n```"
    found = site_links.relinked(text, lambda to: to.removeprefix("docs/"))
    assert found == "See [](views.md) and [how](views.md#a).\n\n```\n[a](b.md)\n```"
    assert site_links.titled("# A\n```\n# no\n```\n# B\n## C") == "# A\n```\n# no\n```\n## B\n### C"
