"""A folder of results with its claims: reading, measuring, checking, and comparing with a second run."""
import csv
import dataclasses
import hashlib
import io
import os
import pathlib

import claim_evidence
import claim_numbers
import log_files
import logs
from claim_file import ClaimError, parse_claims
from claim_numbers import above_one, description_of, order_text, within_text
from log_files import manifest_path
from utc import seconds_of


@dataclasses.dataclass
class Facts:
    """What is needed to reproduce a log. Unknown values are empty or 0."""
    figure: str
    command: str
    hardware: str = ""
    git: str = ""
    minutes: float = 0  # from the start of its runs to their last rows
    # {name: compute capability} of the devices in its rows; the capability is empty if no manifest has it.
    devices: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class MeasuredClaim:
    claim: object
    numbers: list  # a claim_numbers.Measured for each number of the claim
    sentence: str  # with its numbers filled in


@dataclasses.dataclass
class Second:
    """A number of a second run, compared with the first. If it is not `judged`, it may differ by any amount, because
    it is from another GPU."""
    made: MeasuredClaim
    index: int  # of the number in the claim
    judged: bool = True
    by_order: bool = False  # it need not be near, but must be on the same side of 1
    found: object = None  # a Measured; None: see `why`
    near: bool = False
    why: str = ""

    @property
    def number(self):
        return self.made.claim.numbers[self.index]

    @property
    def first(self):
        return self.made.numbers[self.index]

    @property
    def asked(self):
        return order_text(above_one(self.number, self.first)) if self.by_order else within_text(self.number)

    @property
    def verdict(self):
        return "not there" if self.found is None else "near" if self.near else "far"


@dataclasses.dataclass
class SecondRun:
    """All numbers of a second run, and the GPUs of both runs in words."""
    numbers: list  # of Second
    devices: str
    first_devices: str
    another: bool  # whether the GPUs differ


class Results:
    """claims.json of a folder of results, and all files that it needs: the CSVs, their manifests, and SHA256SUMS
    beside each CSV, which must match (only if `checked`). Raises ClaimError for a claims.json that cannot be read, and
    logs.StatisticsError."""

    def __init__(self, folder, checked=True):
        self.folder = pathlib.Path(folder)
        path = self.folder / "claims.json"
        self.logs, self.claims = parse_claims(path, read_text(path))
        # Measured: the claims for which all numbers could be computed.
        self.facts, self.problems, self.measured = {}, [], []
        rows = {name: self.read_log(name, **said) for name, said in self.logs.items()}
        self.places = sorted({os.path.dirname(name) for name in self.logs})  # the folders of the CSVs
        for place in self.places if checked else []:
            self.check_sums(place)
            self.problems += claim_evidence.figure_problems(self.folder / place)
            self.problems += claim_evidence.device_problems(self.folder / place)
        asked = [claim for claim in self.claims if rows[claim.log]]
        found = iter(claim_numbers.measure([(number, rows[claim.log]) for claim in asked for number in claim.numbers]))
        for claim in asked:
            numbers = [next(found) for _ in claim.numbers]
            wrong = [one for one in numbers if isinstance(one, ClaimError)]
            if wrong:
                self.problems.append(str(wrong[0]))
            else:
                self.measured.append(MeasuredClaim(claim, numbers, filled(claim, numbers)))

    def number(self, name):
        """The number CLAIM.NAME of the file; None if there is none."""
        return next((number for claim in self.claims for number in claim.numbers if number.id == name), None)

    def found(self, name):
        """The Measured of this number; None if it could not be measured."""
        return next((found for made in self.measured for number, found in zip(made.claim.numbers, made.numbers)
                     if number.id == name), None)

    def file_of(self, name):
        """The file that holds a CSV, from the folder: it may be compressed."""
        return os.path.join(os.path.dirname(name), log_files.stored(self.folder / name).name)

    def claims_on(self, log):
        names = [claim.id for claim in self.claims if claim.log == log]
        return f"{'claim' if len(names) == 1 else 'claims'} {', '.join(names)}" if names else log

    def read_log(self, name, figure, command):
        """Reads a CSV and its facts. An error is a problem of all claims that use the CSV, but its rows are still
        used."""
        path, rows = self.folder / name, None
        try:
            rows = claim_numbers.Rows(path)
            self.facts[name] = Facts(figure, command)
            self.facts[name] = facts_of(path, rows, figure, command)
        except (logs.LogError, ClaimError) as error:
            self.problems.append(f"{self.claims_on(name)}: {error}")
        if figure and not (self.folder / figure).exists():
            self.problems.append(f"{self.claims_on(name)}: there is no figure {self.folder / figure}")
        return rows

    def check_sums(self, place):
        """Every file in the SHA256SUMS of a folder must be unchanged. All CSVs, manifests and figures must be listed
        there."""
        path = self.folder / place / "SHA256SUMS"
        here = list(dict.fromkeys([os.path.basename(self.file_of(name)) for name in self.logs if os.path.dirname(name) == place]
                                  + claim_evidence.evidence(self.folder / place)))
        try:
            sums = dict(reversed(line.split("  ", 1)) for line in read_text(path).splitlines() if "  " in line)
        except ClaimError as error:
            self.problems.append(str(error))
            return
        self.problems += [f"{self.claims_on(os.path.join(place, name))}: {path} has no line for {name}" for name in here
                          if name not in sums]
        for name, known in sorted(sums.items()):
            log = name.removesuffix(log_files.ENDING)
            file, claims = self.folder / place / name, self.claims_on(os.path.join(place, log))
            if not file.is_file():
                self.problems.append(f"{claims}: there is no {file}")
            elif hashlib.sha256(file.read_bytes()).hexdigest() != known:
                self.problems.append(f"{claims}: {file} is not the file that was measured: its SHA-256 is not that of {path}")
            if log.endswith(".csv"):
                self.check_log(file.with_name(os.path.basename(log)), claims)

    def check_log(self, path, claims):
        try:
            claim_evidence.check_log(path)
        except (logs.LogError, ClaimError) as error:
            if f"{claims}: {error}" not in self.problems:
                self.problems.append(f"{claims}: {error}")

    def second(self, folder):
        """SecondRun: the numbers of the same claims, from CSVs with the same names in another folder. CSVs without
        hardware are left out, because nobody measures them again, and so are the CSVs of this folder itself, because a
        log says nothing about itself. On another GPU, only the numbers that must hold everywhere are judged."""
        rows, why, devices, first_devices = {}, {}, {}, {}
        again = pathlib.Path(folder).resolve()
        measured = [name for name, facts in self.facts.items() if facts.hardware and (self.folder / name).parent.resolve() != again]
        for name in measured:
            path = pathlib.Path(folder) / os.path.basename(name)
            try:
                found = claim_numbers.Rows(path, second=True)
                devices.update(devices_of(path, found.table))
                first_devices.update(self.facts[name].devices)
                rows[name] = found
            except (logs.LogError, ClaimError) as error:
                why[name] = str(error)
        another = bool(devices) and set(devices) != set(first_devices)
        seconds = [Second(made, index, why=why.get(made.claim.log, ""), judged=not another or made.claim.numbers[index].everywhere,
                          by_order=another and made.claim.numbers[index].everywhere and made.claim.numbers[index].statistic == "ratio")
                   for made in self.measured if made.claim.log in measured for index in range(len(made.numbers))]
        there = [one for one in seconds if not one.why]
        for one, found in zip(there, claim_numbers.measure([(one.number, rows[one.made.claim.log]) for one in there])):
            if isinstance(found, ClaimError):
                one.why = str(found)
            else:
                one.found = found
                one.near = (above_one(one.number, one.first) == above_one(one.number, found) if one.by_order else
                            claim_numbers.near(one.number, one.first, found))
        return SecondRun(seconds, devices_text(devices), devices_text(first_devices), another)


def read_text(path):
    """The text of a file with its line ends unchanged. Raises ClaimError."""
    try:
        with open(path, newline="", encoding="utf-8", errors="surrogateescape", opener=logs.regular) as file:
            return file.read()
    except OSError as error:
        raise ClaimError(f"{path}: it could not be read: {error.strerror}") from error


def filled(claim, numbers):
    sentence = claim.sentence
    for number, found in zip(claim.numbers, numbers):
        sentence = sentence.replace(f"{{{number.id.removeprefix(f'{claim.id}.')}}}", found.text)
    return sentence


def devices_of(path, table):
    """{name: compute capability} of the devices in a log's rows. The capability is empty if the manifest has none.
    Raises logs.LogError and ClaimError."""
    found = dict.fromkeys(filter(None, table["gpu"].unique()) if "gpu" in table else [], "")
    try:
        for run in logs.manifest_of(path).get("runs", {}).values():
            for device in run.get("backends", {}).values():
                if device.get("name") in found:
                    found[device["name"]] = str(device.get("compute_capability", ""))
    except (AttributeError, TypeError) as error:
        raise ClaimError(f"{manifest_path(path)}: it is not a manifest of `nestbed run`: {error}") from error
    return found


def devices_text(devices):
    """ "NVIDIA H200 (compute capability 9.0)"."""
    return ", ".join(f"{name} (compute capability {capability})" if capability else name for name, capability in devices.items())


def facts_of(path, rows, figure, command):
    """The Facts of a log, from its rows and its manifest."""
    table = rows.table
    commits = ", ".join(filter(None, table["git"].unique())) if "git" in table else ""
    devices = devices_of(path, table)
    facts = Facts(figure, command, ", ".join(devices), commits, devices=devices)
    if not manifest_path(path).exists():
        return facts
    try:
        runs = logs.manifest_of(path)["runs"]
        facts.command = command or "; ".join(logs.command_texts(path, runs))
        for run, said in runs.items():
            utcs = rows.cells(slice(None), "utc")[rows.cells(slice(None), "run_id") == run]
            begin, ends = seconds_of(said["started_utc"]), [seconds_of(utc) for utc in utcs.unique()]
            if begin is not None and any(ends):
                facts.minutes += (max(filter(None, ends)) - begin) / 60
    except (KeyError, TypeError) as error:
        raise ClaimError(f"{manifest_path(path)}: it is not a manifest of `nestbed run`: there is no {error}") from error
    return facts


def claims_json(results, second=None):
    """The output of `list --json`; with a SecondRun of the same claims, that of `compare --json`."""
    beside = {(one.made.claim.id, one.index): one for one in second.numbers} if second else {}
    listed = []
    for made in results.measured:
        facts, numbers = results.facts[made.claim.log], []
        for index, (number, found) in enumerate(zip(made.claim.numbers, made.numbers)):
            numbers.append({"id": number.id, "text": found.text, "value": found.value, "low": found.low, "high": found.high,
                            "unit": number.unit, "what": description_of(number), "rows": len(found.lines),
                            "lines": found.lines, "tolerance": number.within})
            if (made.claim.id, index) in beside:
                numbers[-1]["second"] = second_json(found, beside[made.claim.id, index])
        listed.append({"id": made.claim.id, "claim": made.sentence, "csv": made.claim.log, "figure": facts.figure,
                       "command": facts.command, "hardware": facts.hardware, "minutes": facts.minutes, "numbers": numbers})
    said = {"another_gpu": second.another, "first_gpu": second.first_devices, "second_gpu": second.devices} if second else {}
    return {**said, "claims": listed}


def second_json(first, again):
    found = again.found
    if found is None:
        return {"text": None, "value": None, "within": None, "judged": again.judged, "why": again.why}
    return {"text": found.text, "value": found.value, "within": again.near, "judged": again.judged, "why": again.why,
            "low": found.low, "high": found.high, "ratio": found.value / first.value if first.value else None}


def compare_csv(seconds):
    """The table of `compare --csv`."""
    out = io.StringIO(newline="")
    rows = csv.writer(out)
    rows.writerow(["claim", "unit", "first", "first_low", "first_high", "second", "second_low", "second_high", "ratio", "within",
                   "status", "detail"])

    def cells(found):
        return ["" if found is None or value is None else f"{value:.6g}"
                for value in ((found.value, found.low, found.high) if found else (None,) * 3)]

    for one in seconds:
        ratio = f"{one.found.value / one.first.value:.4f}" if one.found and one.first.value else ""
        rows.writerow([one.number.id, one.number.unit, *cells(one.first), *cells(one.found), ratio, f"{one.number.within:.6g}",
                       one.verdict, one.why])
    return out.getvalue()
