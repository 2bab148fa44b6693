"""A real browser, where there is one: pages are laid out by chromium, and what it made of them is read back."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

import pytest

QUIET = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)

#: Writes what the test wants to know into the page.
_PROBE = """
<script>
addEventListener("load", () => {
  const root = document.documentElement, wide = root.clientWidth, style = getComputedStyle(document.body);
  const inside = (e) => e.closest(".box, .scroll, pre, svg") !== null;
  const beyond = [...document.body.querySelectorAll("*")].filter(
    (e) => !inside(e) && e.getBoundingClientRect().right > wide + 1).map((e) => e.outerHTML.slice(0, 120));
  const marks = { wide, scroll: root.scrollWidth, beyond, background: style.backgroundColor, colour: style.color,
    loaded: performance.getEntriesByType("resource").map((e) => e.name).filter((n) => !n.startsWith("data:")),
    chips: [...document.querySelectorAll(".chip")].map((e) => e.getBoundingClientRect().right),
    captions: [...document.querySelectorAll("caption")].map((e) => e.getBoundingClientRect().right),
    title: document.title, charts: [...document.querySelectorAll("svg")].map((e) => e.getBoundingClientRect().width) };
  const out = document.createElement("pre");
  out.id = "probe"; out.textContent = JSON.stringify(marks); document.body.append(out);
});
</script>
"""


class Browser:
    def __init__(self, program: str, folder: Path) -> None:
        self.program, self.folder, self.runs = program, folder, 0

    def measured(self, page: str, size: tuple[int, int], *, dark: bool = False) -> dict[str, Any]:
        """The page in a frame of this size, as a probe in it finds it.

        A window has a least width of its own, so the page stands in a frame, which may be as narrow as a phone.
        """
        self.runs += 1
        inner = self.folder / f"inner{self.runs}.html"
        inner.write_text(page.replace("</body>", _PROBE + "</body>"), encoding="utf-8")
        place = f'<iframe id="f" src="{inner.name}" style="border:0;width:{size[0]}px;height:{size[1]}px"></iframe>'
        copy = "<script>addEventListener('load', () => { const d = document.getElementById('f').contentDocument;"
        copy += "document.body.append(d.getElementById('probe').cloneNode(true)); });</script>"
        outer = self.folder / f"outer{self.runs}.html"
        outer.write_text(f"<!DOCTYPE html><meta charset='utf-8'><body>{place}{copy}</body>", encoding="utf-8")
        extra = ["--allow-file-access-from-files", f"--blink-settings=preferredColorScheme={0 if dark else 1}"]
        printed = self._run(outer, "--dump-dom", "--window-size=1400,1000", *extra)
        found = re.search(r'<pre id="probe">(.*?)</pre>', printed, re.DOTALL)
        assert found, printed[:2000]
        marks: dict[str, Any] = json.loads(unescape(found[1]))
        return marks

    def printed(self, page: str) -> bytes:
        """The page as a PDF."""
        place, out = self.folder / "paper.html", self.folder / "paper.pdf"
        place.write_text(page, encoding="utf-8")
        self._run(place, f"--print-to-pdf={out}", "--blink-settings=preferredColorScheme=0")
        return out.read_bytes()

    def _run(self, place: Path, *arguments: str) -> str:
        self.runs += 1
        profile = self.folder / f"profile{self.runs}"
        command = [self.program, *QUIET, f"--user-data-dir={profile}", *arguments, place.as_uri()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=90, check=False)
        shutil.rmtree(profile, ignore_errors=True)
        return done.stdout


def find_browser(folder: Path) -> Browser:
    for name in ("chromium", "chromium-browser", "google-chrome", "chrome"):
        program = shutil.which(name)
        if program is not None:
            return Browser(program, folder)
    pytest.skip("no chromium on the path, so the page cannot be looked at in a browser")
