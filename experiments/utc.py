"""The times in logs and manifests. Needs only Python."""
import datetime


def seconds_of(utc):
    """Seconds since 1970 for "2026-11-21T12:03:03Z"; None for a text in another form."""
    try:
        return datetime.datetime.strptime(utc, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=datetime.timezone.utc).timestamp()
    except ValueError:
        return None
