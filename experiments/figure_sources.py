"""What a figure file says about the logs that it is drawn from."""
import html
import re

import PIL.Image

import log_files


def sources_text(name, csvs):
    """What a figure file says about itself: its name, the logs that it is drawn from, and the SHA-256 of each."""
    return f"{name} of {', '.join(f'{csv.name}, SHA-256 {log_files.sha256_of(csv)}' for csv in csvs)}"


def source_of(path):
    """The sources_text of a figure file; empty if it has none."""
    if path.suffix == ".png":
        with PIL.Image.open(path) as image:
            return image.info.get("Source", "")
    with log_files.opened_bytes(path) as file:
        found = re.search(r"<dc:source>([^<]*)</dc:source>", file.read().decode("utf-8", "replace"))
    return html.unescape(found[1]) if found else ""
