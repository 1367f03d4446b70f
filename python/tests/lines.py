# SPDX-License-Identifier: BSD-3-Clause
"""A pytest plugin: at the end, a line per test as tests/run counts them: "ok NAME", "FAIL NAME: why",
"skip NAME: why"."""

_lines = []


def pytest_runtest_logreport(report):
    name = report.nodeid.rpartition("/")[2]
    if report.failed:
        why = str(getattr(report.longrepr, "reprcrash", report.longrepr))
        _lines.append(f"FAIL {name}: {' '.join(why.split())[:300]}")
    elif report.skipped:
        why = getattr(report, "wasxfail", None) or report.longrepr[2].removeprefix("Skipped: ")
        _lines.append(f"skip {name}: {why.removeprefix('reason: ')}")
    elif report.when == "call":
        _lines.append(f"ok {name}")


def pytest_collectreport(report):
    if report.failed:
        _lines.append(f"FAIL {report.nodeid}: cannot be collected")


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line("")
    for line in _lines:
        terminalreporter.write_line(line)
