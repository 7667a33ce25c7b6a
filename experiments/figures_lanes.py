"""The figure of lanes that launch past the pending-launch limit: which cases end, which are refused, which hang."""
from matplotlib.patches import Rectangle

import figure_parts as parts
import figure_style as style
from figure_style import Sheet

FORMS = {"lanes_in_turn": "in turn", "lanes_at_once": "at once"}
ENDS, REFUSED, HANGS, OTHER = "all launches run", "some launches refused, the grid ends", "the grid hangs", "another outcome"
COLOURS = {ENDS: style.GREEN, REFUSED: style.SKY, HANGS: style.VERMILLION, OTHER: style.GREY}
LETTERS = {ENDS: "", REFUSED: "refused", HANGS: "hangs", OTHER: "?"}


def outcome(statuses):
    """The outcome of a case. One row that hangs is enough."""
    if statuses.get("timeout"):
        return HANGS
    others = set(statuses) - {"ok", "launch_failed"}
    return OTHER if others else REFUSED if statuses.get("launch_failed") else ENDS


def lanes(part, shown, _):
    """A panel for each mechanism and number of levels. Rows are the form and the lanes; columns are the limits."""
    shown = shown.assign(outcome=shown["statuses"].map(outcome))
    limits = sorted(shown["pending_limit_asked"].unique(), key=parts.order_of)
    rows = [(form, block) for form in FORMS
            for block in sorted(shown["block"][shown["strategy"] == form].unique(), key=parts.order_of)]
    panels = parts.grouped_by(shown, ["depth", "mechanism", "grid"])
    panels.sort(key=lambda panel: [parts.order_of(panel.iloc[0][name]) for name in ("depth", "mechanism", "grid")])
    there = [what for what in COLOURS if (shown["outcome"] == what).any()]
    sheet = Sheet(_title(shown), [(what, COLOURS[what], "s") for what in there])
    left, gap, columns = 1.15, 0.3, min(2, len(panels))
    width = (style.WIDTH - left - gap * columns) / columns
    height = 0.235 * len(rows)
    for place, panel in enumerate(panels):
        row, column = divmod(place, columns)
        case = panel.iloc[0]
        axes = sheet.add(left + column * (width + gap), 0.3 + row * (height + 0.8), width, height,
                         f"{parts.count_text(int(case['depth']), 'level')}, {parts.mechanism_text(case['mechanism'])}, "
                         f"{parts.name_of('grid', case['grid'])}")
        _panel(axes, panel, rows, limits, column == 0)
    sheet.notes.append("Each cell is a case: blocks of so many threads, all of which launch, one lane of the warp after another or all in "
                       "the same instruction. A case hangs if one of its runs gave no sign of life until the timeout; its other runs "
                       "were then not made.")
    return sheet.finish(parts.caption_of(part, shown, timed=False))


def _panel(axes, panel, rows, limits, first):
    for _, case in panel.iterrows():
        x, y = limits.index(case["pending_limit_asked"]), rows.index((case["strategy"], case["block"]))
        axes.add_patch(Rectangle((x - 0.48, y - 0.44), 0.96, 0.88, color=COLOURS[case["outcome"]], linewidth=0))
        axes.text(x, y, LETTERS[case["outcome"]], ha="center", va="center", fontsize=7,
                  color="white" if case["outcome"] == HANGS else style.INK)
    axes.grid(False)
    axes.set_xlim(-0.5, len(limits) - 0.5)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    style.ticks(axes.xaxis, list(range(len(limits))),
                {place: parts.name_of("", limit) for place, limit in enumerate(limits)})
    style.ticks(axes.yaxis, list(range(len(rows))),
                {place: f"{parts.count_text(block, 'lane')} {FORMS[form]}" if first else "" for place, (form, block) in enumerate(rows)})
    axes.tick_params(length=0)
    axes.set_xlabel("pending-launch limit")


def _title(shown):
    hung = shown[shown["outcome"] == HANGS]
    if not len(hung):
        return f"Lanes that launch past the limit: none of {parts.count_text(len(shown), 'case')} hangs"
    counts = [f"{(hung['strategy'] == name).sum()} of {(shown['strategy'] == name).sum()} cases {words}"
              for name, words in FORMS.items() if (shown["strategy"] == name).any()]
    return f"Lanes that launch past the limit hang the GPU in {' and '.join(reversed(counts))}"
