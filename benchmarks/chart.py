"""Bar charts as SVG, without a library: one horizontal bar for each engine under each label.

The colours are a set that stays apart for colour-blind readers; the background is drawn, so that the chart reads the
same on a dark page.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

COLOURS = {"rtgen": "#0072b2", "transformers": "#d98a00", "floor": "#9aa5ad"}
WIDTH, RIGHT = 760, 70
CHARACTER = 6.3
"""The mean width of a character of a label."""
BAR, GAP, PAD = 11, 11, 16
FONT = "font-family='Helvetica, Arial, sans-serif'"


def _text(x: float, y: float, text: str, size: int = 12, anchor: str = "start", colour: str = "#24292f") -> str:
    return (
        f"<text x='{x:.1f}' y='{y:.1f}' font-size='{size}' text-anchor='{anchor}' fill='{colour}'>{escape(text)}</text>"
    )


def _number(value: float) -> str:
    digits = 0 if value >= 100 else 1 if value >= 10 else 2
    return f"{value:,.{digits}f}"


def _steps(top: float) -> list[float]:
    """Three to six round numbers from 0 to `top`."""
    rough = top / 4
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= rough)
    return [step * i for i in range(int(top / step) + 1)]


def _powers(low: float, top: float) -> list[float]:
    return [10.0**p for p in range(math.floor(math.log10(low)), math.ceil(math.log10(top)) + 1)]


def bars(title: str, unit: str, rows: Sequence[tuple[str, Mapping[str, float]]]) -> str:
    """The SVG for rows of a label and one positive number for each engine.

    The axis is logarithmic where the numbers are more than a factor of 50 apart.
    """
    values = [value for _, engines in rows for value in engines.values()]
    low, top = min(values), max(values)
    logarithmic = top > 50 * low
    ticks = _powers(low, top) if logarithmic else _steps(top)
    left = 2 * PAD + CHARACTER * max(len(label) for label, _ in rows)
    span = WIDTH - left - RIGHT
    first, last = ticks[0], max(top, ticks[-1])

    def place(value: float) -> float:
        if logarithmic:
            return left + span * math.log10(value / first) / math.log10(last / first)
        return left + span * value / last

    names = [name for name in COLOURS if any(name in engines for _, engines in rows)]
    head = 66
    heights = [len(engines) * BAR + GAP for _, engines in rows]
    bottom = head + sum(heights)
    total = bottom + 34
    out = [
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {total}' width='{WIDTH}' {FONT}>",
        f"<rect width='{WIDTH}' height='{total}' rx='6' fill='#ffffff'/>",
        _text(PAD, 26, title, 15),
    ]
    x = float(PAD)
    for name in names:
        out.append(f"<rect x='{x:.1f}' y='38' width='10' height='10' rx='2' fill='{COLOURS[name]}'/>")
        out.append(_text(x + 15, 47, name, 12, colour="#57606a"))
        x += 32 + 7 * len(name)
    out.append(_text(WIDTH - PAD, 47, unit + (", logarithmic" if logarithmic else ""), 12, "end", "#57606a"))
    for tick in ticks:
        at = place(tick)
        out.append(f"<line x1='{at:.1f}' y1='{head - 6}' x2='{at:.1f}' y2='{bottom}' stroke='#e3e7eb'/>")
        out.append(_text(at, bottom + 16, f"{tick:,g}", 11, "middle", "#57606a"))
    y = float(head)
    for (label, engines), height in zip(rows, heights, strict=True):
        out.append(_text(left - 8, y + (height - GAP) / 2 + 4, label, 12, "end"))
        for name in names:
            if name not in engines:
                continue
            end = place(engines[name])
            width = max(end - left, 1)
            out.append(
                f"<rect x='{left:.1f}' y='{y:.1f}' width='{width:.1f}' height='{BAR - 1}' fill='{COLOURS[name]}'/>"
            )
            out.append(_text(left + width + 4, y + BAR - 2, _number(engines[name]), 10, colour="#57606a"))
            y += BAR
        y += GAP
    return "\n".join([*out, "</svg>"]) + "\n"
