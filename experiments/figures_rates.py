"""Figures of rates along the size: against CUB, and bandwidth."""
import dataclasses

import pandas

import figure_parts as parts
import figure_panels as panels_of
import figure_style as style
import logs
import tables
from figure_panels import Panel
from figures_rows import cache_note
from measures import AXES, MEASURES, bandwidth as rates_of

SWEPT = 0.5  # If more than this share of the cases with sizes is on lines of three sizes, rates are drawn as lines.
NEAR = 0.1  # share of the peak; sizes with a rate above it are drawn as a share of the peak


def sized(cases):
    return cases[cases["elements"].notna() & cases["nx"].isna()]


def sizes(cases):
    """The cases with a size, if most of them are on a line of three sizes or more."""
    own = sized(cases)
    groups = parts.along(own, "elements")
    return own if groups and sum(map(len, groups)) > SWEPT * len(own) else own[:0]


def rates(cases):
    own = sizes(cases)
    rated = any(group["bandwidth_gb_s"].notna().any() for group in parts.along(own, "elements"))
    return own if rated else own[:0]


def rates_at_one_size(cases):
    """Flat kernels of a GPU with a known peak bandwidth, if they are most of the log and have few sizes."""
    flat = cases[(cases["launches"].fillna(0) == 0) & cases["depths"].isna() & cases["bandwidth_gb_s"].notna()]
    most = len(flat) > 2 and len(flat) >= len(cases) / 2 and (flat["peak_gb_s"] > 0).any()
    return flat if most and (flat["backend"] == "cuda").all() and not len(sizes(cases)) else flat[:0]


def beside_cub(cases):
    """The cases other than CUB's, if CUB was measured at three or more of their sizes."""
    own = sizes(cases)
    of_cub = own["strategy"].isin(tables.names_with("strategies", "is_reference"))
    own = own[~of_cub & own["elements"].isin(set(own["elements"][of_cub]))]
    return own if own["elements"].nunique() >= 3 else own[:0]


def _over_cub(cases):
    """The cases beside which there is a CUB, with their ratio to it as y."""
    reference = logs.faster_cub(cases)
    beside = [logs.cub_key(case) in reference for case in cases.to_dict("records")]
    over = cases.assign(**dict(zip(("y", "y_low", "y_high"), MEASURES["ratio"].of(cases))))
    return over[beside & ~cases["strategy"].isin(tables.names_with("strategies", "is_reference"))]


def against_cub(part, taken, _):
    """Ratio of medians to the faster CUB of the same log and size, with one panel per type. Below 1 is faster than
    CUB."""
    references = part.cases["strategy"].isin(tables.names_with("strategies", "is_reference"))
    shown = sized(part.cases[references | part.cases["workload"].isin(set(taken["workload"]))])
    shown = shown[shown["elements"].isin(set(taken["elements"]))]
    panels = [Panel(name, lines, AXES["elements"].title, MEASURES["ratio"].label, ys=(0.95, 1.05), across=[(1, "as fast as CUB", style.INK)], crosses=0,
                    xtext=style.power_text, pad=1.03)
              for name, lines in parts.lines_and_panels(parts.along(_over_cub(shown), "elements", least=1), parts.names_beside("elements"))]
    lines = [line for panel in panels for line in panel.lines]
    spans, without, several = {}, [], parts.mechanisms_each(shown)
    for line in lines:
        label = parts.strategy_label(line.cases.iloc[0], several)
        if line.cases["y"].notna().any():
            spans.setdefault(label, []).extend(line.cases["y"].dropna())
        else:
            without.append(f"{label} ({parts.status_text(line.cases) or 'no CUB beside it'})")
    if not spans:
        return None
    sentences = [f"{label} {'' if place else 'takes '}{min(found):.2f} to {max(found):.2f}{'' if place else ' times as long as CUB'}"
            for place, (label, found) in enumerate(sorted(spans.items()))]
    ys = [value for line in lines for name in ("y", "y_low", "y_high") for value in line.cases[name].dropna()]
    reference = "the faster of cub and cub_narrow at each size" if shown["strategy"].isin(["cub_narrow"]).any() else "cub"
    notes = [f"Ratio of medians to {reference} in the same log; below 1 is faster than CUB. Bars: 95 % bootstrap interval of the ratio."]
    notes += [f"Without any ratio: {'; '.join(dict.fromkeys(without))}."] if without else []
    return panels_of.draw(", ".join(sentences), [dataclasses.replace(panel, xs=[x for line in lines for x in line.x], ys=[*panel.ys, *ys]) for panel in panels],
                          parts.caption_of(part, shown), subtitle=parts.common_text(shown), columns=1, height=2.5 if len(panels) > 1 else 3.2,
                          notes=notes)


def bandwidth(part, taken, _):
    """GB/s against the number of elements, with the device's peak. Panels show what else varies. If the rates span
    decades, a second panel beside each shows the sizes near the peak as a share of it: the curves are close there,
    and the axis is linear."""
    groups = parts.along(taken, "elements")
    shown = pandas.concat(groups)
    rates = shown["bandwidth_gb_s"]
    peak, fastest = shown["peak_gb_s"].max(), shown.loc[rates.idxmax()]
    largest = shown["elements"][rates >= NEAR * peak]
    beside = peak > 0 and style.wants_log(rates) and largest.nunique() >= 3
    groups = [group.assign(**dict(zip(("y", "y_low", "y_high"), rates_of(group)))) for group in groups]
    panels = []
    for name, lines in parts.lines_and_panels(groups, parts.names_beside("elements")):
        panels.append(Panel(name, lines, AXES["elements"].title, MEASURES["bandwidth"].label, y="fit", xs=shown["elements"], ys=rates.dropna(), ends=not beside,
                            across=[(peak, f"peak, {style.three(peak)} GB/s", style.INK)] if peak > 0 else (), crosses=0, xtext=style.power_text, pad=1.2))
        if beside:
            panels.append(Panel("The largest sizes", [_share_of(line, largest.min(), peak) for line in lines], AXES["elements"].title, "share of the peak, %",
                                y="linear", xs=largest, ys=(0, 100), crosses=0, xtext=style.power_text))
    share = f", {100 * fastest['bandwidth_gb_s'] / peak:.0f} % of the device's peak" if peak > 0 else ""
    kind = f" of {fastest['type']}" if parts.varying(shown, ["type"]) else ""
    note = [f"Dashed: the device's peak, {style.three(peak)} GB/s."] if beside else []
    return panels_of.draw(f"{style.marked(fastest['strategy'])} reads {style.three(fastest['bandwidth_gb_s'])} GB/s at "
                          f"{style.power_text(fastest['elements'])} numbers{kind}{share}", panels,
                          parts.caption_of(part, shown, elsewhere="cases of fewer than three sizes"), subtitle=parts.common_text(shown),
                          columns=2 if beside else 1, height=2.6 if len(panels) > 1 + beside else 3.2, notes=[*note, *cache_note(part)])


def _share_of(line, least, peak):
    """The part of a line from a size on, as a share of the peak."""
    cases = line.cases[line.cases["elements"] >= least]
    return dataclasses.replace(line, x=list(cases["elements"]), cases=cases.assign(**{name: 100 / peak * cases[name] for name in ("y", "y_low", "y_high")}))
