"""Where the manifest of a log lies. Needs Python alone."""
import pathlib


def manifest_path(log):
    """LOG.csv.json beside LOG.csv, LOG.manifest.json beside LOG; where there is none, LOG.json of earlier versions, if that is there."""
    log = pathlib.Path(log)
    path, old = log.with_name(f"{log.name}{'' if log.suffix else '.manifest'}.json"), log.with_suffix(".json")
    return old if old.is_file() and not path.exists() else path
