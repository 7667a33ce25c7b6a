"""What tests of users' programs share: a program in a folder of its own, and its run."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

NESTBED = pathlib.Path(os.environ["NESTBED"]).resolve()
CUDA = pathlib.Path(__file__).resolve().with_name("cuda")  # for uses.h
TIMEOUT_S = 300
EXIT_BAD = 3


def called(words, folder, **environment):
    """Runs a command with these variables and no others of nestbed."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("NESTBED_")}
    return subprocess.run(words, cwd=folder, env={**inherited, **{name: str(value) for name, value in environment.items()}},
                          capture_output=True, text=True, timeout=TIMEOUT_S, check=False)


def new_folder(source, *inner):
    """A folder with my.cu, and these folders in it, until the tests of the module have ended."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="nestbed-program-")).resolve()
    unittest.addModuleCleanup(shutil.rmtree, folder)
    for name in inner:
        (folder / name).mkdir()
    (folder / "my.cu").write_text(source, encoding="utf-8")
    return folder


def built(source, *options):
    """A folder with the program `my`."""
    folder = new_folder(source)
    subprocess.run([NESTBED, "nvcc", *options, f"-I{CUDA}", "my.cu", "-o", "my"], cwd=folder, timeout=TIMEOUT_S, check=True)
    return folder


def runner(source, *options):
    """A function that runs the program, which is built once, with arguments and variables of its environment."""
    folder = built(source, *options)
    return lambda *arguments, **environment: called(["./my", *map(str, arguments)], folder, **environment)
