"""What the fuzzers of random programs share: their command line, batches of programs until the time is over, and how a program
that fails is made smaller."""
import argparse
import os
import random
import re
import time


def arguments_of(doc):
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("picket", help="the program under test", type=os.path.abspath)
    parser.add_argument("--seconds", type=float, default=20, help="for how long random programs are made [20]")
    parser.add_argument("--programs", type=int, help="so many programs instead")
    parser.add_argument("--seed", type=int, help="of the first program [random]")
    parser.add_argument("--keep", help="where programs that show a failure are left")
    arguments = parser.parse_args()
    if arguments.seed is None:
        arguments.seed = random.randrange(1 << 30)
    print(f"seed {arguments.seed}", flush=True)
    return arguments


def batches(arguments, size, make):
    """Programs by their numbers, which are their seeds: so many at a time, until the time is over."""
    end = time.monotonic() + arguments.seconds
    made = 0
    while made < arguments.programs if arguments.programs else time.monotonic() < end:
        first = arguments.seed + made
        yield {number: make(number) for number in range(first, first + size)}
        made += size


def leave_out(lists, message, look):
    """Leaves statements out of these lists, the last first, as long as what `look` finds wrong is of the sort of `message`."""
    def sort(text):
        return re.split(r"[\d\[]", text)[0]

    for statements in lists:
        for index in reversed(range(len(statements))):
            removed = statements.pop(index)
            found = look()
            if not found or sort(found) != sort(message):
                statements.insert(index, removed)


def keep(directory, name, text):
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, name), "w") as file:
        file.write(text)
