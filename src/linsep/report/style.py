"""The style sheet of a report: screens of any size, light and dark, and paper.

Colours are custom properties, which dark mode changes. Every pair of text and background has a contrast of at least 4.5
(tests/report/test_style.py computes it).
"""

from __future__ import annotations

#: name → (light, dark)
COLOURS: dict[str, tuple[str, str]] = {
    "page": ("#ffffff", "#10151b"),
    "raised": ("#f5f7f9", "#19212a"),
    "line": ("#d5dbe1", "#303b47"),
    "text": ("#1a2027", "#e7ebef"),
    "quiet": ("#56616c", "#a3afbb"),
    "link": ("#0a5aa8", "#7ab8ff"),
    "c1": ("#1264b0", "#6aaeff"),
    "c2": ("#b0500a", "#f2a65a"),
    "c3": ("#19733a", "#5fd08b"),
    "c4": ("#7a3fb0", "#c79bff"),
    "c5": ("#a3174f", "#ff8fb3"),
    "good": ("#19733a", "#5fd08b"),
    "caution": ("#8a5a00", "#eebb55"),
    "serious": ("#b3261e", "#ff9a90"),
}

_RULES = """
*, *::before, *::after { box-sizing: border-box; }
html { color-scheme: light dark; -webkit-text-size-adjust: 100%; scroll-behavior: smooth; }
body { margin: 0; background: var(--page); color: var(--text);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
.layout { max-width: 74rem; margin: 0 auto; padding: 0 1rem 4rem; }
header { padding: 2.2rem 0 1rem; border-bottom: 1px solid var(--line); margin-bottom: 1.2rem; }
h1 { font-size: clamp(1.5rem, 1.1rem + 2vw, 2.3rem); line-height: 1.2; margin: 0 0 .3rem; overflow-wrap: anywhere; }
h2 { font-size: 1.35rem; line-height: 1.25; margin: 2.6rem 0 .8rem; padding-top: .6rem; }
h3 { font-size: 1.02rem; margin: 1.6rem 0 .5rem; }
p { margin: .5rem 0; max-width: 46rem; overflow-wrap: anywhere; }
a { color: var(--link); }
.subtitle { color: var(--quiet); }
nav ol { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: .3rem 1rem; font-size: .9rem; }
nav a { text-decoration: none; }
nav a:hover, nav a:focus { text-decoration: underline; }
main, section, .box, figure { min-width: 0; }
section:first-of-type h2 { margin-top: 1rem; }
@media (min-width: 64rem) {
  .columns { display: grid; grid-template-columns: 11.5rem minmax(0, 1fr); gap: 2.5rem; }
  nav { position: sticky; top: 1.2rem; align-self: start; }
  nav ol { flex-direction: column; border-left: 2px solid var(--line); padding-left: .9rem; }
}
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(11.5rem, 100%), 1fr)); gap: .8rem;
  margin: 1rem 0; }
.card { background: var(--raised); border: 1px solid var(--line); border-top: 3px solid var(--c1); border-radius: 8px;
  padding: .8rem 1rem; min-width: 0; }
.card .what { color: var(--quiet); font-size: .85rem; }
.card .value { font-size: 1.6rem; font-weight: 650; line-height: 1.25; overflow-wrap: anywhere; }
.card .detail { color: var(--quiet); font-size: .85rem; overflow-wrap: anywhere; }
.card.good { border-top-color: var(--good); } .card.good .value { color: var(--good); }
.card.caution { border-top-color: var(--caution); } .card.caution .value { color: var(--caution); }
.card.serious { border-top-color: var(--serious); } .card.serious .value { color: var(--serious); }
.callout { border: 1px solid var(--line); border-left: 5px solid var(--c1); border-radius: 6px;
  background: var(--raised); padding: .7rem 1rem; margin: .8rem 0; overflow-wrap: anywhere; }
.callout strong { display: block; }
.callout p { margin: .2rem 0 0; }
.callout.good { border-left-color: var(--good); } .callout.good strong { color: var(--good); }
.callout.caution { border-left-color: var(--caution); } .callout.caution strong { color: var(--caution); }
.callout.serious { border-left-color: var(--serious); } .callout.serious strong { color: var(--serious); }
dl { display: grid; grid-template-columns: minmax(7rem, max-content) minmax(0, 1fr); gap: .35rem 1.2rem;
  margin: .8rem 0; }
dt { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 34rem) { dl { grid-template-columns: minmax(0, 1fr); gap: 0; } dd { margin-bottom: .5rem; } }
.box { overflow-x: auto; margin: .8rem 0; border: 1px solid var(--line); border-radius: 8px; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--quiet); font-size: .85rem; padding: .5rem .8rem; }
th, td { text-align: left; vertical-align: top; padding: .38rem .65rem; border-top: 1px solid var(--line); }
td, th { max-width: 26rem; overflow-wrap: break-word; }
td { white-space: pre-line; }
td.long, th.long { overflow-wrap: anywhere; min-width: 12rem; }
thead th { font-weight: 600; color: var(--quiet); white-space: nowrap; background: var(--raised); }
th[scope="row"] { font-weight: 550; }
.number { text-align: right; white-space: pre; }
.chips { display: flex; flex-wrap: wrap; gap: .25rem .35rem; min-width: min(24rem, 70vw); }
.chip { border: 1px solid var(--line); border-radius: 999px; padding: 0 .55rem; font-size: .82rem; max-width: 100%;
  overflow-wrap: anywhere; }
.chip.up { border-color: var(--c1); color: var(--c1); } .chip.down { border-color: var(--c2); color: var(--c2); }
.quote { color: var(--quiet); margin-bottom: .25rem; min-width: min(24rem, 70vw); }
.meter { display: block; min-width: 6rem; height: .4rem; margin-top: .2rem; background: var(--line); border-radius: 3px;
  overflow: hidden; }
.meter i { display: block; height: 100%; background: var(--c1); } .meter.down i { background: var(--c2); }
pre { background: var(--raised); border: 1px solid var(--line); border-radius: 8px; padding: .8rem 1rem;
  overflow-x: auto; font: .85rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
ul { padding-left: 1.2rem; overflow-wrap: anywhere; }
details { margin: .5rem 0; } summary { cursor: pointer; color: var(--link); font-size: .9rem; padding: .25rem 0; }
figure { border: 1px solid var(--line); border-radius: 8px; padding: .9rem; }
figure { margin: 1rem 0; }
.beside { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(21rem, 100%), 1fr)); gap: 1rem;
  margin: 1rem 0; align-items: start; }
.beside > * { margin: 0; min-width: 0; }
figcaption { font-size: .88rem; color: var(--quiet); margin-bottom: .5rem; overflow-wrap: anywhere; }
figcaption strong { display: block; color: var(--text); font-size: 1rem; }
.scroll { overflow-x: auto; }
svg.chart { display: block; width: 100%; height: auto; max-width: 34rem; }
svg.wide { max-width: 52rem; min-width: 30rem; }
svg text { font-family: inherit; fill: var(--text); unicode-bidi: plaintext; }
svg .tick, svg .note { font-size: 11px; fill: var(--quiet); } svg .label { font-size: 11.5px; fill: var(--quiet); }
svg .note { fill: var(--text); paint-order: stroke; stroke: var(--page); stroke-width: 3px; }
svg .name { font-size: 12px; } svg .figure { font-size: 12px; } svg .figure.small { font-size: 10.5px; }
svg .grid { stroke: var(--line); stroke-width: .7; } svg .axis { stroke: var(--quiet); stroke-width: 1; }
svg .reference { stroke: var(--quiet); stroke-width: 1; stroke-dasharray: 4 4; }
svg .mark { stroke: var(--c2); stroke-width: 1.2; stroke-dasharray: 3 3; }
svg .line { fill: none; stroke: var(--c); stroke-width: 2; stroke-linejoin: round; }
svg .band { fill: var(--c); fill-opacity: .17; stroke: none; }
svg .whisker { stroke: var(--c); stroke-width: 1.4; } svg .dot { fill: var(--c); }
svg .c1 { --c: var(--c1); } svg .c2 { --c: var(--c2); } svg .c3 { --c: var(--c3); } svg .c4 { --c: var(--c4); }
svg .c5 { --c: var(--c5); }
svg .bar { fill-opacity: .8; } svg .bar.up { fill: var(--c1); } svg .bar.down { fill: var(--c2); }
svg .error { stroke: var(--text); stroke-width: 1.1; }
svg .square.hit { fill: var(--c1); } svg .square.miss { fill: var(--c2); }
footer { border-top: 1px solid var(--line); margin-top: 3rem; padding-top: .8rem; color: var(--quiet);
  font-size: .85rem; }
@media (max-width: 34rem) {
  svg .tick, svg .label, svg .note { font-size: 13px; }
  caption { max-width: calc(100vw - 2.2rem); } figure caption { max-width: calc(100vw - 4.2rem); }
  table { font-size: .85rem; } th, td { padding: .35rem .45rem; } td.long, th.long { min-width: 8rem; }
  .box:has(.chips) :is(table, thead, tbody, tr, caption) { display: block; }
  .box:has(.chips) thead { background: var(--raised); }
  .box:has(.chips) tr { border-top: 1px solid var(--line); padding: .2rem 0; }
  .box:has(.chips) :is(th, td) { display: inline-block; border: 0; }
  .box:has(.chips) td:has(.chips) { display: block; max-width: none; } .chips, .quote { min-width: 0; }
}
"""

_PRINT = """
@media print {
  @page { margin: 16mm 14mm; }
  html { font-size: 10.5px; }
  body { background: none; }
  .layout { max-width: none; padding: 0 1px; }
  .columns { display: block; }
  nav, details:not([open]) { display: none; }
  .card, .callout, pre, thead th, .box { background: none; }
  h2, h3, p:has(+ figure, + .beside, + .box) { break-after: avoid; }
  p { max-width: none; break-inside: avoid; }
  figure, .card, .callout, tr, .box:not(:has(tbody tr:nth-child(9))) { break-inside: avoid; }
  caption, thead { break-after: avoid; } tbody tr:first-child { break-before: avoid; }
  .box, .scroll, pre { overflow: visible; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; }
  td.long, th.long { min-width: 0; } .chips, .quote { min-width: 0; }
  .beside { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
  svg.wide, svg.map { min-width: 0 !important; max-width: 100% !important; }
  section { break-before: auto; } footer { break-before: avoid; margin-top: 1rem; }
  a { color: inherit; text-decoration: none; }
}
"""


def _properties(column: int) -> str:
    return " ".join(f"--{name}: {pair[column]};" for name, pair in COLOURS.items())


def style_sheet() -> str:
    """All rules; the dark colours hold on screens only, so that paper stays white."""
    dark = f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {_properties(1)} }} }}"
    return f":root {{ {_properties(0)} }}\n{dark}\n{_RULES.strip()}\n{_PRINT.strip()}\n"
