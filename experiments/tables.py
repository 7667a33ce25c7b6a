"""What nestbed says of itself: `nestbed list --json`, read once per process. Scripts hold no list of workloads, strategies, axes or
columns of their own. Needs NESTBED, the path of a nestbed, and otherwise only Python."""
import functools

from medians import StatisticsError, answer_of, program

ITEM_WORK = ("dwell", "cell_work", "node_work")  # columns of the work of an item
EXACT = 2**53  # numbers above this are not exact as a float, so that they stay texts


@functools.cache
def tables():
    """{table: {name: entry}}. Raises StatisticsError."""
    try:
        return {table: {entry["name"]: entry for entry in entries} for table, entries in answer_of("list", "--json").items()}
    except (KeyError, TypeError, AttributeError) as error:
        raise StatisticsError(f"{program()} list --json has no tables: {error}") from error


def workload_of(strategy):
    """Its name; empty for a strategy that this nestbed does not have."""
    return tables()["strategies"].get(strategy, {}).get("workload", "")


def family_of(strategy):
    """What its launches are made for, as a word; empty for a strategy that this nestbed does not have."""
    return tables()["strategies"].get(strategy, {}).get("family_word", "")


@functools.cache
def family_text(family):
    return next((entry["family"] for entry in tables()["strategies"].values() if entry["family_word"] == family), family.replace("_", " "))


def decider_of(mechanism):
    """Who decides by a mechanism whether there is another level, as a word; empty for one that this nestbed does not have."""
    return tables()["mechanisms"].get(mechanism, {"decider": ""})["decider"]


@functools.cache
def names_with(table, quality):
    """The names of the entries with a quality: of strategies racy, data_dependent, is_reference; of mechanisms from_device; of workloads
    irregular, nondeterministic_answer."""
    return [name for name, entry in tables()[table].items() if entry[quality]]


@functools.cache
def workloads_with_figure(figure):
    """The names of the workloads that a figure suits: those that name it, or each of a user's own."""
    return [name for name, entry in tables()["workloads"].items() if figure in entry["figures"] or figure == "times" and entry["own"]]


def is_own(workload):
    """Whether it is a user's own."""
    return tables()["workloads"].get(workload, {"own": False})["own"]


def own_meanings(workload):
    """{column: what it means there} of the parameters to which a user's own workload gives a meaning; empty for one of nestbed's."""
    own = parameters_of(workload) if is_own(workload) else {}
    of_others = {one["axis"] for name, other in tables()["workloads"].items() if name != workload for one in other["parameters"]}
    return {column: one["meaning"] for column, one in own.items()
            if one["axis"] not in of_others or one["meaning"] != tables()["axes"][one["axis"]]["help"]}


def parameters_of(workload):
    """{column: parameter} of a workload; empty for one that this nestbed does not have."""
    return {one["column"]: one for one in tables()["workloads"].get(workload, {"parameters": []})["parameters"]}


@functools.cache
def problem_columns(workload=None):
    """The columns in which cases of a workload solve different problems; without one, of an irregular workload that says nothing else. The input
    is first, then the other words, then numbers. Not the seed: inputs of several seeds are one problem here."""
    axes = tables()["axes"]
    own = [one["axis"] for one in parameters_of(workload).values() if one["problem"]] if workload else [name for name in axes if axes[name]["problem"]]
    own.sort(key=lambda name: (name != "input", "values" not in axes[name], "least" not in axes[name]))
    return [axes[name]["column"] for name in own if name != "seed"]


def items_of(workload):
    """What the elements of a workload are: `keys`; for a workload without them `numbers`."""
    return parameters_of(workload).get("elements", {"meaning": "numbers"})["meaning"]


@functools.cache
def size_columns():
    """The columns of how large a problem is: `elements`, or what a workload has instead."""
    return [axis["column"] for axis in tables()["axes"].values() if axis["size"]]


@functools.cache
def axis_columns():
    """The columns of the axes, in the order of the axes."""
    return [axis["column"] for axis in tables()["axes"].values()]


@functools.cache
def number_columns():
    """The columns whose cells are numbers, or empty."""
    most = {axis["column"]: axis.get("most", 0) for axis in tables()["axes"].values()}
    return {name for name, column in tables()["columns"].items() if column["number"] and most.get(name, 0) < EXACT}
