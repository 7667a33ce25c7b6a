"""The figure of a busy host: the quantiles of many runs against the load on the host's cores, by mechanism."""
import numpy

import figure_parts as parts
import figure_style as style
from figure_style import Sheet
from figures_sweeps import nothing_timed

# The columns of each panel; the first quantile is the median.
CLOCKS = {"GPU's own time": ("span_us", "span_p99_us", "span_p999_us", "span_worst_us"),
          "host's clock": ("us", "wall_p99_us", "wall_p999_us", "wall_worst_us")}
QUANTILES = ("median", "p99", "p99.9", "worst")
HEIGHT, GAP, LEFT = 2.0, 0.12, 0.78


def loads(cases):
    """Cases of many runs under several loads, if they differ in nothing else but the mechanism and the place of the submitting thread."""
    own = cases[cases["span_us"].notna()]
    free = [name for name in parts.varying(own, parts.case_names()) if name not in ("host_load", "nice", "pin", "runs")]
    return own if own["host_load"].nunique() > 1 and not free else own[:0]


def _hosts(shown):
    """[(load, nice, pin)] in the order of the axis: by load, then those whose thread is pinned or of a low priority."""
    found = shown[["host_load", "nice", "pin"]].drop_duplicates().itertuples(index=False, name=None)
    return sorted(found, key=lambda host: (host[1] > 0 or host[2] == "yes", *host))


def _words(host):
    load, nice, pin = host
    return "\n".join([f"{load:g}", *(["pinned"] if pin == "yes" else []), *([f"nice {nice:g}"] if nice else [])])


def by_load(part, shown, _):
    """A row of panels for each clock and a panel for each quantile; a line for each mechanism."""
    if not shown["us"].notna().any():
        return nothing_timed("A busy host", part, shown)
    mechanisms = sorted(shown["mechanism"].unique(), key=style.mechanism_rank)
    sheet = Sheet(_title(shown), [(*style.mechanism_look(name), style.mechanism_mark(name)) for name in mechanisms],
                  "Time against the busy threads for each core of the host, by mechanism:")
    hosts = _hosts(shown)
    plain = [place for place, (_, nice, pin) in enumerate(hosts) if not nice and pin == "no"]
    colours = [style.mechanism_look(name)[1] for name in mechanisms]
    dashes = {name: style.DASHES[colours[:place].count(colours[place]) % len(style.DASHES)] for place, name in enumerate(mechanisms)}
    width = (style.WIDTH - LEFT - style.MARGIN) / 4 - GAP
    for row, (clock, columns) in enumerate(CLOCKS.items()):
        values = shown[[*columns]].to_numpy(dtype=float)
        for column, (name, quantile) in enumerate(zip(columns, QUANTILES)):
            axes = sheet.add(LEFT + column * (width + GAP), 0.35 + row * (HEIGHT + 0.75), width, HEIGHT, quantile)
            style.log_axis(axes, "y", numpy.nanmin(values), numpy.nanmax(values), pad=1.3)
            axes.set_xlim(-0.4, len(hosts) - 0.6)
            style.ticks(axes.xaxis, list(range(len(hosts))), {place: _words(host) for place, host in enumerate(hosts)})
            axes.tick_params(axis="x", labelsize=6.5)
            if column:
                axes.tick_params(axis="y", labelleft=False)
            else:
                axes.set_ylabel(f"{clock}, µs")
            for mechanism in mechanisms:
                own = shown["mechanism"] == mechanism
                found = dict(zip(shown[own][["host_load", "nice", "pin"]].itertuples(index=False, name=None), shown[own][name]))
                colour, mark = style.mechanism_look(mechanism)[1], style.mechanism_mark(mechanism)
                axes.plot(plain, [found.get(hosts[place], numpy.nan) for place in plain], color=colour, marker=mark, markersize=4, clip_on=False,
                          linestyle=dashes[mechanism])
                rest = [place for place in range(len(hosts)) if place not in plain and hosts[place] in found]
                axes.plot(rest, [found[hosts[place]] for place in rest], color=colour, marker=mark, markersize=4, linestyle="none", clip_on=False)
    runs = sorted({int(runs * rows) for runs, rows in zip(shown["runs"], shown["rows"])})
    sheet.notes.append(f"Above: the GPU's own time, from the first level's begin to the end of the last. Below: the host's clock, from its first call until it "
                       f"knows the end. Of {' or '.join(style.grouped(count) for count in runs)} runs a point: medians of the quantiles of the rows, the worst of all.")
    return sheet.finish(parts.caption_of(part, shown, timed=False), bottom=0.5)


def _title(shown):
    """What the heaviest load does to the GPU's own p99, of a host that decides and of a graph that does."""
    usual = shown[(shown["nice"] == 0) & (shown["pin"] == "no")]
    said = []
    for mechanism in ("host_polled", "graph_tail"):
        own = usual[usual["mechanism"] == mechanism].sort_values("host_load")
        if len(own) > 1:
            first, last = own.iloc[0], own.iloc[-1]
            said.append(f"{style.mechanism_look(mechanism)[0]} from {style.time_text(first['span_p99_us'])} to {style.time_text(last['span_p99_us'])}")
    return f"A busy host, GPU's own p99: {', '.join(said)}" if said else "Many runs on a busy host"
