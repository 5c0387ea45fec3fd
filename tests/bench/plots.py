"""Diagrams as SVG."""

import itertools

COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00"]  # can be told apart by all


def nice_ceiling(value):
    """The smallest of 1, 2, 4, 8, 10, ... that is not below the value."""
    step = 1e-4
    while True:
        for factor in (1, 2, 4, 8):
            if step * factor >= value:
                return step * factor
        step *= 10


def text(x, y, words, anchor="middle", extra=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{extra}>{words}</text>'


def panel(left, top, title, below, lines, color=None, width=250, height=150):
    """A diagram of lines (name, points (x, y)), of one color or each of its own; axes begin at 0."""
    every = [point for _, points in lines for point in points]
    most_x, most = max(x for x, _ in every), nice_ceiling(max(y for _, y in every))
    place = lambda x, y: (left + width * x / most_x, top + height - height * y / most)
    out, names = [text(left + width / 2, top - 10, title)], []
    for part in range(5):
        value = most * part / 4
        _, y = place(0, value)
        out.append(f'<line x1="{left}" y1="{y:.1f}" x2="{left + width}" y2="{y:.1f}" class="grid"/>')
        out.append(text(left - 6, y + 4, f"{value:g}", "end"))
    for x in sorted({x for x, _ in every}):
        out.append(text(place(x, 0)[0], top + height + 16, f"{x:g}"))
    out.append(text(left + width, top + height + 32, below, "end"))
    for own, (name, points) in zip(itertools.cycle(COLORS), lines):
        stroke = color or own
        path = " ".join("{:.1f},{:.1f}".format(*place(x, y)) for x, y in points)
        out.append(f'<polyline points="{path}" fill="none" stroke="{stroke}" stroke-width="2"/>')
        out += ['<circle cx="{:.1f}" cy="{:.1f}" r="3" fill="{}"/>'.format(*place(x, y), stroke) for x, y in points]
        if name:
            names.append((place(*points[-1])[1], name, stroke))
    lowest = 0
    for y, name, stroke in sorted(names):  # one below the other
        lowest = max(y, lowest + 13)
        out.append(text(left + width + 8, lowest + 4, name, "start", f' fill="{stroke}"'))
    return "\n".join(out)


def page(width, height, panels):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            'font-family="sans-serif" font-size="11" fill="#222">\n'
            '<style>.grid { stroke: #ccc; stroke-width: 1 }</style>\n'
            f'<rect width="{width}" height="{height}" fill="#fff"/>\n' + "\n".join(panels) + "\n</svg>\n")
