"""A hook of mkdocs: a link to a folder of results leads to its README.md or summary.md.

In the repository such a link shows the folder; a site has no folders.
"""

import re
from pathlib import Path

LINK = re.compile(r"(\]\()([^)#:\s]+)(\))")


def on_page_markdown(markdown, page, config, files):
    here = Path(page.file.abs_src_path).parent

    def target(match):
        folder = here / match.group(2)
        if folder.is_dir():
            for name in ("README.md", "summary.md"):
                if (folder / name).is_file():
                    return f"{match.group(1)}{match.group(2).rstrip('/')}/{name}{match.group(3)}"
        return match.group(0)

    return LINK.sub(target, markdown)
