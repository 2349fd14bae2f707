"""The page of a fit in a real browser: `make browser`."""

import json
import os
from pathlib import Path

import pytest

from conftest import SCRIPT

NAMES = ["bent", "nothing", "classes", "survival", "wide", "script"]

# text colour and the first opaque background behind it
COLOURS = """element => {
  const style = getComputedStyle(element);
  let behind = element;
  while (behind && getComputedStyle(behind).backgroundColor === 'rgba(0, 0, 0, 0)') behind = behind.parentElement;
  const colour = element.closest('svg') ? style.fill : style.color;
  return [colour, behind ? getComputedStyle(behind).backgroundColor : 'rgb(255, 255, 255)'];
}"""

# pairs of texts of one picture that cover each other, texts that leave their picture, and lines that cross a text
COLLISIONS = """() => {
  const found = [];
  for (const svg of document.querySelectorAll('svg')) {
    const frame = svg.getBoundingClientRect();
    const boxes = [...svg.querySelectorAll('text')].map(t => [t.textContent, t.getBoundingClientRect()]);
    boxes.forEach(([a, p], i) => {
      if (p.left < frame.left - 1 || p.right > frame.right + 1 || p.top < frame.top - 1 || p.bottom > frame.bottom + 1)
        found.push(a + ' leaves its picture');
      boxes.slice(i + 1).forEach(([b, q]) => {
        const across = Math.min(p.right, q.right) - Math.max(p.left, q.left);
        const down = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
        if (across > 2 && down > 4) found.push(a + ' covers ' + b);
      });
    });
    for (const line of svg.querySelectorAll('path.line')) {
      const places = line.getScreenCTM();
      for (let k = 0; k <= 300; k++) {
        const point = line.getPointAtLength(line.getTotalLength() * k / 300).matrixTransform(places);
        for (const [name, box] of boxes)
          if (point.x > box.left + 1 && point.x < box.right - 1 && point.y > box.top + 2 && point.y < box.bottom - 2)
            return [...found, 'a line crosses ' + name];
      }
    }
  }
  return found;
}"""


@pytest.mark.parametrize("name", NAMES)
def test_opens_from_disk_without_a_message_or_a_request(visit, pages, name):
    watched = visit(name)
    watched.page.wait_for_timeout(200)
    assert watched.messages == []
    assert watched.requests == [pages[name].as_uri()]
    assert watched.dialogs == []
    assert watched.page.locator("h1").is_visible()
    assert pages[name].stat().st_size < 300_000


def test_a_name_that_is_a_script_is_only_a_name(visit):
    watched = visit("script")
    watched.page.wait_for_timeout(200)
    assert watched.dialogs == []
    assert watched.page.locator("tbody th", has_text=SCRIPT).first.is_visible()
    scripts = watched.page.locator("script")
    assert scripts.count() == 1
    assert SCRIPT in json.loads(scripts.first.text_content())["selected"]


def test_twenty_thousand_inputs_are_a_page_of_its_needles(visit):
    page = visit("wide").page
    assert "of 20000 matter" in page.locator("h1").inner_text()
    report = json.loads(page.locator("#needlenet-report").text_content())
    assert report["n_features"] == 20_000
    assert {"g0", "g1"} <= set(report["selected"])


def test_nothing_found_says_what_could_have_been_found(visit):
    page = visit("nothing").page
    assert page.locator("h1").inner_text() == "No input of 8 was found to matter"
    assert page.get_by_role("heading", name="What could have been found?").is_visible()


@pytest.mark.parametrize("name", NAMES)
def test_no_text_of_a_picture_is_covered_or_leaves_it(visit, name):
    assert visit(name).page.evaluate(COLLISIONS) == []


@pytest.mark.parametrize("width", [360, 1000])
@pytest.mark.parametrize("name", NAMES)
def test_the_page_is_not_wider_than_the_window(visit, name, width):
    page = visit(name, viewport={"width": width, "height": 800}).page
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def luminance(colour: str) -> float:
    parts = colour[colour.index("(") + 1 : -1].split(",")
    values = [float(part) / 255 for part in parts[:3]]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["bent", "nothing", "survival"])
def test_text_has_the_contrast_that_wcag_asks_for(visit, name, scheme):
    page = visit(name, color_scheme=scheme).page
    texts = page.locator("p, li, th, td, h1, h2, figcaption, svg text").all()
    grounds = set()
    for text in texts:
        colour, ground = text.evaluate(COLOURS)
        low, high = sorted([luminance(colour), luminance(ground)])
        # 4.5 to 1 for text of normal size
        assert (high + 0.05) / (low + 0.05) >= 4.5, (text.inner_text, colour, ground)
        grounds.add(luminance(ground) < 0.5)
    assert grounds == {scheme == "dark"}


def test_everything_is_there_without_javascript(visit):
    with_it, without = visit("bent").page, visit("bent", java_script_enabled=False).page
    assert with_it.locator("main").inner_text() == without.locator("main").inner_text()


@pytest.mark.parametrize("name", ["bent", "nothing", "classes", "survival"])
def test_prints_on_a_few_pages(visit, name):
    paper = visit(name).page.pdf(format="A4")
    assert paper.startswith(b"%PDF")
    assert 1 <= paper.count(b"/Type /Page\n") <= 6


@pytest.mark.parametrize("name", ["bent", "nothing", "classes", "survival"])
def test_screenshots_in_both_schemes_differ(visit, name, tmp_path):
    """With SCREENSHOTS=folder they are kept, to be looked at."""
    folder = Path(os.environ.get("SCREENSHOTS") or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    shots = []
    for scheme in ("light", "dark"):
        page = visit(name, color_scheme=scheme).page
        shots.append(page.screenshot(path=folder / f"{name}-{scheme}.png", full_page=True))
    assert shots[0] != shots[1]
