"""Whether the figures of a folder are drawn from the logs beside it as they are now."""
import re

import log_files
from figure_sources import source_of


def figures_in(folder):
    """The names of the figures of a folder. An SVG may be compressed, as CSVs may."""
    return sorted({*(folder / "figures").glob("*.png"), *log_files.csvs_in(folder / "figures", "*.svg")})


def figure_problems(folder):
    """A line for each figure that is not drawn from the current content of the CSVs beside its folder."""
    problems = []
    for path in figures_in(folder):
        if path.exists() and path.with_name(path.name + log_files.ENDING).exists():
            problems.append(f"{path}: there is {path.name}{log_files.ENDING} too; allowed: one of the two files")
        found = re.fullmatch(r"(.*?) of (.*, SHA-256 [0-9a-f]{64})", source_of(path))
        drawn_from = re.split(r"(?<=, SHA-256 [0-9a-f]{64}), ", found[2]) if found else []
        csvs = [one.rsplit(", SHA-256 ", 1) for one in drawn_from]
        if not found or found[1] != path.stem or any("/" in name for name, _ in csvs):
            problems.append(f"{path}: it does not say that it is this figure, and of which log; "
                            "allowed: as experiments/plot.sh draws it")
            continue
        for name, sha256 in csvs:
            csv = folder / name
            if not log_files.is_there(csv):
                problems.append(f"{path}: there is no {csv}, which it is drawn from")
            elif sha256 != log_files.sha256_of(csv):
                problems.append(f"{path}: it is not drawn from {csv} as that is now: run experiments/plot.sh {csv if len(csvs) == 1 else folder}")
    return problems
