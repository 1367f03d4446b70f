#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Live processes over a log that is rotated and cut, with bad lines, while their model is replaced,
until they are killed at random; and how long an answer takes. What tail delivered is kept beside, and
tells what each line should have got. Prints a line per test, as the scripts do.

    survive.py FROCC [ROUNDS]
"""

import csv
import json
import os
import random
import signal
import subprocess
import sys
import time

FROCC = sys.argv[1]
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 4
LIMIT = float(os.environ.get("LATENCY_LIMIT", "1")) / 1000  # seconds
HEADER = "id,host,bytes,seconds"
ROTATIONS, MODELS, LINES = 20, 6, 4000
random.seed(int(os.environ.get("SEED", "30")))
failed = 0


def told(name, why=""):
    global failed
    failed += why != ""
    print(f"FAIL {name}: {why}" if why else f"ok {name}", flush=True)


def good_line(number, hosts=3):
    host = "web api login shop mail".split()[random.randrange(hosts)]
    return f"{number},{host},{random.randint(200, 90000)},{random.random():.4f}"


def bad_line(number):
    return random.choice(
        [f"{number},web,many,0.1", f"{number},web,12", f'{number},"web,12,0.1', f"{number},web,1,1,1",
         f"{number},api,,0.1", f"{number},api,1e400,0.1", "\0\0\0\0"]
    )  # fmt: skip


def fit(name, hosts):
    """A model of other rows, with other texts."""
    with open("train.csv", "w") as file:
        file.write("\n".join([HEADER] + [good_line(i, hosts) for i in range(400)]) + "\n")
    subprocess.run([FROCC, "fit", "train.csv", "--id", "id", "-m", "64", "-q", "-o", name], check=True)


def is_good(line):
    cells = line.split(",")
    try:
        return len(cells) == 4 and '"' not in line and all(abs(float(c)) < 1e20 for c in cells[2:])
    except ValueError:
        return False


def scores_of(line, models):
    """What each model says of a line, to the last digit."""
    return [models[m].get(line) for m in models]


def score_all(lines):
    """For each model, the scores of these lines."""
    with open("lines.csv", "w") as file:
        file.write("\n".join([HEADER] + lines) + "\n")
    found = {}
    for m in range(MODELS):
        out = subprocess.run([FROCC, "score", f"m{m}.frocc", "lines.csv", "--id", "id", "-q"],
                             check=True, capture_output=True, text=True)  # fmt: skip
        rows = [row.split(",")[1] for row in out.stdout.splitlines()[1:]]
        found[m] = dict(zip(lines, rows))
    return found


def write_log(process):
    """Lines in pieces that end anywhere; the log is moved away 20 times, the model replaced 5 times.
    False where the process has ended before."""
    log = open("log.csv", "w", buffering=1 << 16)
    log.write(HEADER + "\n")
    actions = ["rotate"] * ROTATIONS + ["model"] * (MODELS - 1)
    random.shuffle(actions)
    moments = sorted(random.sample(range(50, LINES - 50), len(actions)))
    next_model = 1
    for number in range(LINES):
        line = (bad_line if random.random() < 0.01 else good_line)(number) + "\n"
        if moments and number == moments[0]:
            moments.pop(0)
            if actions.pop() == "rotate":
                if random.random() < 0.5:
                    log.write(line[: random.randrange(len(line))])  # half a line
                log.close()
                os.rename("log.csv", "log.csv.1")
                log = open("log.csv", "w", buffering=1 << 16)
                log.write(HEADER + "\n")
            else:
                subprocess.run(["cp", f"m{next_model}.frocc", "model.tmp"], check=True)
                os.rename("model.tmp", "model.frocc")
                next_model += 1
        cut = random.randrange(len(line))
        log.write(line[:cut])
        if random.random() < 0.05:
            log.flush()
            time.sleep(0.004)
        log.write(line[cut:])
        if process.poll() is not None:
            return False
    log.close()
    return True


def check_answers(fed, answers):
    """Why the answers are not those of the first lines that were fed; "" where they are. Lines count
    from 1, and headers and empty lines have no answer."""
    good = [line for line in fed if is_good(line)]
    models = score_all(sorted(set(good)))
    wanted = [(i + 1, line) for i, line in enumerate(fed) if line != HEADER and line.strip("\r ")]
    if len(answers) > len(wanted):
        return f"{len(answers)} answers to {len(wanted)} lines"
    for (number, line), answer in zip(wanted, answers):
        if int(answer["line"]) != number:
            return f"line {answer['line']} is answered in place of {number}"
        if is_good(line) != (answer["error"] == ""):
            return f"line {number}, '{line}', has the error '{answer['error']}'"
        if is_good(line) and answer["score"] not in scores_of(line, models):
            return f"line {number} has the score {answer['score']} of no model"
    return ""


def one_round(number):
    for name in ("log.csv", "fed.txt", "answers.csv"):
        if os.path.exists(name):
            os.remove(name)
    subprocess.run(["cp", "m0.frocc", "model.frocc"], check=True)
    open("log.csv", "w").close()
    tail = subprocess.Popen(["tail", "-n", "+1", "-s", "0.01", "-F", "log.csv"],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)  # fmt: skip
    tee = subprocess.Popen(["tee", "fed.txt"], stdin=tail.stdout, stdout=subprocess.PIPE)
    with open("said.txt", "w") as said:
        live = subprocess.Popen(
            [FROCC, "predict", "model.frocc", "-", "--id", "id", "--scores", "--lines",
             "--header", "yes", "-o", "answers.csv", "--json"],
            stdin=tee.stdout, stdout=said, stderr=subprocess.STDOUT)  # fmt: skip
    tail.stdout.close()
    tee.stdout.close()
    is_early = number % 2 == 1
    if is_early:  # in the middle of everything
        delay = random.uniform(0.2, 0.8)
        killer = subprocess.Popen(["sh", "-c", f"sleep {delay}; kill -TERM {live.pid}"])
    write_log(live)
    if not is_early:
        deadline = time.time() + 20
        while time.time() < deadline and os.path.getsize("log.csv") and lag() > 0:
            time.sleep(0.05)
        live.send_signal(signal.SIGTERM)
    live.wait(20)
    if is_early:
        killer.wait()
    tail.terminate()
    tail.wait()
    tee.wait()
    name = f"round {number}: " + ("killed while lines come" if is_early else "killed when all is said")
    with open("fed.txt", newline="") as file:
        fed = file.read().split("\n")[:-1]
    with open("answers.csv", newline="") as file:
        text = file.read()
        answers = list(csv.DictReader(text.splitlines()))
    why = check_answers(fed, answers)
    if not why and live.returncode != -signal.SIGTERM:
        why = f"ended with {live.returncode}"
    if not why and not text.endswith("\n"):
        why = "the last answer is half a line"
    summary = json.loads([s for s in open("said.txt").read().splitlines() if s[0] == "{"][-1])
    n_bad = sum(a["error"] != "" for a in answers)
    if not why and (summary["bad_rows"], summary["rows"]) != (n_bad, len(answers) - n_bad):
        why = f"the summary {summary} of {len(answers)} answers, {n_bad} bad"
    if not why and not is_early and len(answers) < LINES * 0.9:
        why = f"only {len(answers)} answers to {LINES} lines"
    n_models = open("said.txt").read().count("read anew")
    if not why and not is_early and n_models == 0:
        why = "no model was read anew"
    told(f"{name} ({len(answers)} answers, {n_bad} bad lines, {n_models} new models)", why)


def lag():
    """Lines that were fed and have no answer yet."""
    with open("fed.txt") as file:
        fed = sum(1 for line in file.read().split("\n")[:-1] if line and line != HEADER)
    try:
        with open("answers.csv") as file:
            return fed - (file.read().count("\n") - 1)
    except FileNotFoundError:
        return fed


def percentile_99(n_lines):
    live = subprocess.Popen([FROCC, "predict", "m0.frocc", "-", "--id", "id"],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)  # fmt: skip
    live.stdin.write((HEADER + "\n").encode())
    took = []
    for number in range(n_lines):
        line = (good_line(number) + "\n").encode()
        begun = time.perf_counter()
        live.stdin.write(line)
        answer = live.stdout.read(1 << 16)
        while not answer.endswith(b"\n"):
            answer += live.stdout.read(1 << 16)
        took.append(time.perf_counter() - begun)
        assert answer.split(b"\n")[-2].startswith(b"%d," % number), answer
    live.stdin.close()
    live.wait()
    return sorted(took)[int(0.99 * len(took))]


def main():
    for m in range(MODELS):
        fit(f"m{m}.frocc", 2 + m % 4)
    for number in range(ROUNDS):
        one_round(number)
    best = LIMIT + 1
    for _ in range(60):  # others may be at work on this machine
        best = min(best, percentile_99(300))
        if best <= LIMIT:
            break
    told(f"99 of 100 lines are answered within {1000 * best:.3f} ms",
         "" if best <= LIMIT else f"expected {1000 * LIMIT} ms")  # fmt: skip
    return failed > 0


sys.exit(main())
