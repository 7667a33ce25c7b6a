"""The times in logs and manifests. Needs Python alone."""
import datetime


def seconds_of(utc):
    """Of "2026-11-21T12:03:03Z" those since 1970; None for another text."""
    try:
        return datetime.datetime.strptime(utc, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=datetime.timezone.utc).timestamp()
    except ValueError:
        return None
