# SPDX-License-Identifier: BSD-3-Clause
"""What the site has beside docs/: the README as its home, the manual page, and a page for each file
of the tree that some page links to, so that every link of the tree is one of the site."""

import posixpath
import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[2]
# Text between marks of code is not looked into.
LINK = re.compile(r"^```.*?^```|`(?:[^`\n]|\n(?!\n))+`|\]\((?P<path>[^)#:\s]+)(?P<anchor>#[^)\s]*)?\)",
                  re.S | re.M)
LANGUAGES = {".c": "c", ".h": "c", ".py": "python", ".awk": "awk", ".sh": "sh", ".expected": "text"}
origins = {}  # page of the site -> file of the tree


def page_of(path):
    """The site's page for a file or folder of the tree."""
    if path == "README.md":
        return "index.md"
    if path.startswith("docs/"):
        return path[5:] + (".md" if path.endswith(".1") else "")
    if path.endswith(".md"):
        return "source/" + path
    is_text = (ROOT / path).is_dir() or Path(path).suffix in LANGUAGES or "." not in path
    return f"source/{path}.md" if is_text else f"source/{path}"


def linked(path, match):
    """The file of the tree that a link in the file at path leads to."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), match["path"]))


def links_of(path, text):
    """The files of the tree that the Markdown file at path links to."""
    return [linked(path, match) for match in LINK.finditer(text) if match["path"]]


def turn(path, text):
    """text with links from page to page instead of from file to file."""
    here = posixpath.dirname(page_of(path)) or "."

    def link(match):
        target = match["path"] and linked(path, match)
        if not target or not (ROOT / target).exists():
            return match[0]  # the generator names the page, and fails
        return f"]({posixpath.relpath(page_of(target), here)}{match['anchor'] or ''})"

    return LINK.sub(link, text)


def listing(path):
    """A page for a folder of the tree."""
    files = sorted(file for file in (ROOT / path).rglob("*")
                   if file.is_file() and "__pycache__" not in file.parts)
    names = [file.relative_to(ROOT / path).as_posix() for file in files]
    return f"# {path}\n\n" + "".join(f"- [{name}]({posixpath.basename(path)}/{name})\n" for name in names)


def source(path, text):
    """A page for a file of code."""
    fence = "`" * (1 + max([2] + [len(marks) for marks in re.findall("`+", text)]))
    language = LANGUAGES.get(Path(path).suffix, "text")
    return f"# {posixpath.basename(path)}\n\n{fence}{language}\n{text}{fence}\n"


def manual(text):
    """The manual page, which has few of roff's requests, as Markdown."""
    out, code, term = ["# frocc(1)"], False, False
    for line in text.splitlines():
        request, _, rest = line.partition(" ")
        if request in (".TH", ".RS", ".RE", '.\\"'):
            continue
        if code:
            code = request != ".fi"
            out.append(plain(line) if code else "```\n")
        elif request == ".nf":
            code = True
            out.append("\n```text")
        elif request == ".SH":
            out.append(f"\n## {rest.capitalize()}\n")
        elif request == ".SS":
            out.append(f"\n### {words(rest)}\n")
        elif request in (".TP", ".PP"):
            term = request == ".TP"
            out.append("")
        else:
            out.append((f"**{words(rest)}**" if request == ".B" else words(line)) + "<br>" * term)
            term = False
    return "\n".join(out) + "\n"


def plain(text):
    """A line without roff's marks."""
    text = re.sub(r"\\f.|\\&", "", text).replace("\\-", "-").replace("\\(aq", "'")
    return text.replace("\\e", "\\")


def words(text):
    """A line of the manual page: what Markdown would take for its own is quoted."""
    marked = text.replace("\\fB", "\1").replace("\\fI", "\2").replace("\\fR", "\3")
    quoted = re.sub(r"([\\`*_<>\[\]|#])", r"\\\1", plain(marked))
    return re.sub("\2(.*?)\3", r"*\1*", re.sub("\1(.*?)\3", r"**\1**", quoted))


def content_of(path):
    """The Markdown of the page for a file or folder of the tree."""
    place = ROOT / path
    if place.is_dir():
        return listing(path)
    text = place.read_text()
    if path.endswith(".md"):
        return text
    return manual(text) if path.endswith(".1") else source(path, text)


def is_written(path):
    """Has its page links as they are in the tree?"""
    return path.endswith(".md") or (ROOT / path).is_dir()


def on_files(files, config):
    """Adds the pages for all that is linked to, and for what these link to."""
    style = Path(__file__).with_name("site.css")
    files.append(File.generated(config, style.name, abs_src_path=str(style)))
    files.remove(files.get_file_from_path("frocc.1"))
    wanted = ["README.md", "CHANGELOG.md", "docs/frocc.1"]
    for file in files.documentation_pages():
        path = origins[file.src_uri] = "docs/" + file.src_uri
        wanted += links_of(path, file.content_string)
    while wanted:
        path = wanted.pop()
        page, place = page_of(path), ROOT / path
        if files.get_file_from_path(page) or not place.exists():
            continue
        if not page.endswith(".md"):
            files.append(File.generated(config, page, abs_src_path=str(place)))
            continue
        content = content_of(path)
        origins[page] = path
        files.append(File.generated(config, page, content=content))
        if is_written(path):
            wanted += links_of(path, content)
    return files


def on_page_markdown(markdown, page, config, files):
    path = origins[page.file.src_uri]
    if page.file.src_uri.startswith("source/"):
        page.meta["search"] = {"boost": 0.1}  # who searches wants pages first, code after them
    return turn(path, markdown) if is_written(path) else markdown
