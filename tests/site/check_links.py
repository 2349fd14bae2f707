"""Fails if a link of the built site, or of a Markdown file in the root of the repository, leads nowhere: `make site`.

python check_links.py SITE

Links to other sites are not opened: the check needs no network. For them only the form of the address is looked at.
"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)|(?:src|href)=\"([^\"]+)\"")


class Page(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name in ("id", "name") and value:
                self.anchors.add(value)


def broken_in_site(site: Path) -> list[str]:
    # the pages of rustdoc are made, and checked, by rustdoc
    pages = {path: Page(path) for path in site.rglob("*.html") if "rust" not in path.relative_to(site).parts}
    broken = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme in ("http", "https"):
                if "." not in parts.netloc:
                    broken.append(f"{path.relative_to(site)}: {link}")
                continue
            if parts.scheme or link.startswith("//"):
                continue
            # the page "not found" may be shown at any address, so its links begin at the root
            base = site if link.startswith("/") else path.parent
            target = (base / unquote(parts.path).lstrip("/")).resolve() if parts.path else path
            if target.is_dir():
                target = target / "index.html"
            anchors = pages[target].anchors if target in pages else None
            missing_anchor = parts.fragment and anchors is not None and unquote(parts.fragment) not in anchors
            if not target.exists() or missing_anchor:
                broken.append(f"{path.relative_to(site)}: {link}")
    return broken


def broken_in_root() -> list[str]:
    broken = []
    for path in sorted(ROOT.glob("*.md")):
        for match in LINK.finditer(path.read_text(encoding="utf-8")):
            link = match.group(1) or match.group(2)
            if not urlsplit(link).scheme and not (ROOT / unquote(urlsplit(link).path)).exists():
                broken.append(f"{path.name}: {link}")
    return broken


def main() -> int:
    broken = broken_in_site(Path(sys.argv[1]).resolve()) + broken_in_root()
    print("\n".join(broken) if broken else "every link leads somewhere")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
