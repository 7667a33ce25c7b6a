"""Where the manifest of a log is. Needs only Python."""
import pathlib


def manifest_path(log):
    """LOG.csv.json beside LOG.csv, and LOG.manifest.json beside LOG. If it does not exist but the LOG.json of earlier
    versions does, that file."""
    log = pathlib.Path(log)
    path, old = log.with_name(f"{log.name}{'' if log.suffix else '.manifest'}.json"), log.with_suffix(".json")
    return old if old.is_file() and not path.exists() else path
