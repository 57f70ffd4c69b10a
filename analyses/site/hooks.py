"""What the site does otherwise than MkDocs: the pages are GitHub's Markdown, which cmark-gfm
renders as a forge does (python-markdown differs inside <details>, in lists and in tables);
navigation, links and structured data are made from what is in reports/."""

import html
import json
import os
import posixpath
import re
import shutil
import subprocess
from pathlib import Path
from urllib.parse import unquote, urlsplit

from mkdocs.exceptions import PluginError
from mkdocs.structure.toc import AnchorLink, TableOfContents

PROJECT = Path(__file__).resolve().parents[2]
FIRST = ["README.md", "questions.md", "explore.md", "decide.md", "port.md"]  # before the topics
LAST = ["folklore.md", "certainty.md", "trust.md"]  # and behind them
dead = []  # links out of the site that lead nowhere
reviews = []


def label(name):
    return {"README": "Start"}.get(name, name.replace("_", " ").capitalize())


def on_config(config):
    docs = Path(config["docs_dir"])
    topics = []  # as the catalogue has them
    for row in json.loads((docs / "results.json").read_bytes())["claims"]:
        if row["topic"] + ".md" not in topics:
            topics.append(row["topic"] + ".md")
    pages = [page.name for page in docs.glob("*.md")]
    named = FIRST + topics + LAST
    order = [page for page in named if page in pages] + sorted(set(pages) - set(named))
    nav = [{label(page[:-3]): page} for page in order]
    evidence = [
        {label(page.stem): f"evidence/{page.name}"} for page in sorted(docs.glob("evidence/*.md"))
    ]
    config["nav"] = nav + ([{"Evidence": evidence}] if evidence else [])
    citation = (docs.parent / "CITATION.cff").read_text(encoding="utf-8")
    repository = re.search(r'^repository-code: "(.*)"', citation, re.M)[1]
    version = re.search(r"^version: (.*)$", citation, re.M)[1].strip('"')
    config["extra"]["repository"] = repository
    config["copyright"] = f'embedscale {version} · <a href="{repository}">sources</a>'
    dead.clear()
    reviews[:] = []
    if (docs / "claimreview.jsonld").exists():
        reviews[:] = json.loads((docs / "claimreview.jsonld").read_bytes())["@graph"]
    return config


def on_page_markdown(markdown, page, config, files):
    return ""  # rendered below


def slug(text, taken):
    """The anchor that GitHub gives a heading."""
    name = re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")
    taken[name] = taken.get(name, -1) + 1
    return name + (f"-{taken[name]}" if taken[name] else "")


def address(url, page, config, files):
    """A link of a page as the site has it; what is not on the site is on the forge."""
    repository = config["extra"]["repository"]
    scheme, host, path, _, anchor = urlsplit(url)
    if url.startswith(f"{repository}/blob/main/"):
        scheme = host = path = ""
        if not (PROJECT / unquote(urlsplit(url).path.split("/blob/main/")[1])).exists():
            dead.append(f"{page.file.src_uri}: {url}: main has no such file")
    if scheme or host or not path:
        return url
    path = posixpath.normpath(posixpath.join(posixpath.dirname(page.file.src_uri), unquote(path)))
    file = files.get_file_from_path(path)
    if file:
        return file.url_relative_to(page.file) + (f"#{anchor}" if anchor else "")
    outside = posixpath.normpath(posixpath.join(Path(config["docs_dir"]).name, path))
    if outside.startswith("..") or not (PROJECT / outside).exists():
        dead.append(f"{page.file.src_uri}: {url}: no such file")
    return f"{repository}/blob/main/{outside}" + (f"#{anchor}" if anchor else "")


def on_page_content(content, page, config, files):
    content = subprocess.run(
        ["cmark-gfm", "--unsafe", "-e", "table", "-e", "autolink", "-e", "strikethrough"],
        input=Path(page.file.abs_src_path).read_bytes(), capture_output=True, check=True,
    ).stdout.decode()
    content = re.sub(
        r'\b(href|src)="([^"]*)"',
        lambda m: f'{m[1]}="{html.escape(address(html.unescape(m[2]), page, config, files))}"',
        content,
    )
    taken, root = {}, []

    def heading(match):
        given, level, inner = match[1], int(match[2]), match[3]
        plain = html.unescape(re.sub(r"<[^>]*>", "", inner))
        name = slug(plain, taken)
        if level == 1:
            page.meta["title"] = html.escape(plain)
        if level < 4:
            item = AnchorLink(html.escape(plain, quote=False), given or name, level)
            (root[0].children if root and level > 1 else root).append(item)
        sign = f'<a class="headerlink" href="#{given or name}" title="Permanent link">#</a>'
        # Search takes each <h4> for a place of its own, "Why"; its words belong to the claim above.
        tag = f"h{level}" if level < 4 else "p"
        role = "" if level < 4 else f' role="heading" aria-level="{level}"'
        return f'<{tag} id="{given or name}"{role}>{inner}{sign if level < 4 else ""}</{tag}>'

    content = re.sub(
        r'(?:<p><a id="([^"]+)"></a></p>\n)?<h([1-6])>(.*?)</h\2>', heading, content, flags=re.S
    )
    page.toc = TableOfContents(root)
    # A part that scrolls by keyboard, too.
    content = content.replace("<table>", '<div class="wide" tabindex="0"><table>')
    return content.replace("</table>", "</table></div>")


def on_page_context(context, page, config, nav):
    """The reviews of a page's claims; on a site of known address they are said to be there."""
    topic = page.file.src_uri[:-3]
    mine = [dict(review) for review in reviews if review["identifier"].split(".")[0] == topic]
    for review in mine:
        if page.canonical_url:
            review["url"] = f"{page.canonical_url}#{review['identifier']}"
    if mine:
        graph = {"@context": "https://schema.org", "@graph": mine}
        context["reviews"] = json.dumps(graph, ensure_ascii=False).replace("</", "<\\/")
    return context


def on_post_build(config):
    index = Path(config["site_dir"], "search", "search_index.json")
    search = json.loads(index.read_bytes())
    # A search is for what was found, not for seeds and cases, which repeat each claim's name.
    search["docs"] = [one for one in search["docs"] if not one["location"].startswith("evidence/")]
    for one in search["docs"]:  # a question as it is asked comes first: a tag weighs most
        if one["location"].startswith("questions.html#"):
            words = re.sub("['’]s\\b", "", html.unescape(one["title"]))
            words = words.replace("ε", "epsilon").replace("σ", "sigma")
            one["tags"] = re.findall(r"[a-zA-Z0-9_.]*\w", words, re.A)
    index.write_text(json.dumps(search, separators=(",", ":")))
    # The page that says what answers in the browser gives way to what does.
    if explore := os.environ.get("EMBEDSCALE_EXPLORE"):
        shutil.copytree(explore, config["site_dir"], dirs_exist_ok=True)
    if not config["site_url"]:  # a site map needs addresses, and has "None" in their place
        for site_map in Path(config["site_dir"]).glob("sitemap.xml*"):
            site_map.unlink()
    if dead:
        raise PluginError("dead links:\n" + "\n".join(sorted(set(dead))))
