#!/usr/bin/env python3
"""Writes docstrings of the Python package, made from the `///` comments of public headers, as a C++ header:

  scripts/make_docstrings.py include/cuttle --output build/python/docstrings.h
  scripts/make_docstrings.py include/cuttle --show Model::with forward_dynamics

The header has a table of names and texts, in which `doc("Model::nq")` (python/src/doc.h) looks while it compiles. Names are
those of C++ without the namespace; a template ModelT goes by the name of its alias Model, a constructor is Model::Model. Of overloads the one with the longest comment stands for all.
"""

import argparse
import keyword
import pathlib
import re
import sys
import textwrap

WIDTH = 100

# --- reading headers --------------------------------------------------------------------------------------------------

TOKEN = re.compile(
    r"""
    (?P<trailing>///<[^\n]*) | (?P<doc>///[^\n]*) | (?P<comment>//[^\n]*|/\*.*?\*/) |
    (?P<directive>^[ \t]*\#(?:[^\n\\]|\\.)*) |
    (?P<raw>R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)") | (?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*') |
    (?P<word>[A-Za-z_]\w*) | (?P<number>\d[\w.']*) | (?P<newline>\n) | (?P<space>[ \t\r]+) |
    (?P<sign>::|->|<=>|&&|\|\||[<>=!+\-*/]=|.)
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
SKIPPED = {"comment", "directive", "space"}
CLOSING = {"(": ")", "{": "}", "[": "]"}
NO_NAME = {"const", "noexcept", "override", "final", "mutable", "default", "delete", "operator"}


class Entity:
    """What has a comment: its name, its head (the declaration up to the name), and the comment's lines."""

    def __init__(self, name, head, lines):
        self.name, self.head, self.lines = name, head, lines


def without_templates(words):
    """A declaration without what stands in template<..>, angle brackets of types, attributes and parentheses behind
    its name: [(word, index)]; and the index of the first parenthesis outside of these, if there is one."""
    kept, angle, k = [], 0, 0
    while k < len(words):
        word = words[k]
        if word == "operator":
            return kept, None, True
        if word == "<" and k > 0 and (words[k - 1] == "template" or re.match(r"[A-Za-z_]", words[k - 1])):
            angle += 1
        elif word in (">", ">>") and angle:
            angle -= len(word)
        elif angle:
            pass
        elif word in ("(", "=", "{", ":", "[", "requires") and not (word == "requires" and not kept):
            return kept, (k if word == "(" else None), False
        else:
            kept.append(word)
        k += 1
    return kept, None, False


class Reader:
    """Reads a header: every declaration of a namespace, a class or an enum that has a comment."""

    def __init__(self, text):
        self.tokens = [(match.lastgroup if match.lastgroup != "mark" else "raw", match.group())
                       for match in TOKEN.finditer(text)]
        self.tokens = [token for token in self.tokens if token[0] not in SKIPPED]
        self.at = 0
        self.found = []    # entities, in order
        self.aliases = {}  # ModelT: Model

    def read(self):
        self.scope("", None, True)
        return self

    def skip_balanced(self):
        """From behind an opening brace to behind its closing one."""
        depth = 1
        while depth and self.at < len(self.tokens):
            kind, text = self.tokens[self.at]
            if kind == "sign":
                depth += (text == "{") - (text == "}")
            self.at += 1

    def scope(self, prefix, class_name, is_public):
        """Declarations up to the closing brace, which is read."""
        doc, words, last = [], [], []
        end_of_line = True   # a trailing comment belongs to what ended on its line, or goes on from one
        while self.at < len(self.tokens):
            kind, text = self.tokens[self.at]
            self.at += 1
            if kind == "newline":
                end_of_line = True
            elif kind == "trailing":
                for entity in last:
                    entity.lines.append(text[4:].strip())
            elif kind == "doc":
                if not words:
                    if end_of_line and doc and doc[-1] is None:
                        doc = []
                    doc.append(text[3:])
                end_of_line = False
            elif kind == "sign" and text == "}" and not words:
                break
            elif kind == "sign" and text == ";":
                last = self.declaration(prefix, class_name, is_public, words, doc) if words else last
                doc, words = [], []
            elif kind == "sign" and text == "{":
                done = self.brace(prefix, class_name, is_public, words, doc)
                if done is not None:
                    last, doc, words = done, [], []
            elif kind == "sign" and text == ":" and words and words[-1] in ("public", "private", "protected"):
                is_public = words[-1] == "public"
                doc, words, last = [], [], []
            elif kind == "sign" and text in "([":
                words.append(text)
                self.parenthesis(words, CLOSING[text])
            else:
                words.append(text)

    def parenthesis(self, words, closing):
        """What stands in parentheses is part of a declaration, braces in it too."""
        depth = [closing]
        while depth and self.at < len(self.tokens):
            kind, text = self.tokens[self.at]
            self.at += 1
            if kind == "sign" and text in CLOSING:
                depth.append(CLOSING[text])
            elif kind == "sign" and text == depth[-1]:
                depth.pop()
            if kind not in ("newline", "doc", "trailing"):
                words.append(text)

    def brace(self, prefix, class_name, is_public, words, doc):
        """An opening brace: of a scope, a function, or a value. Of the first two, the entities that end here."""
        kept, parenthesis, is_operator = without_templates(words)
        if "namespace" in words:
            names = words[words.index("namespace") + 1:]
            own = [name for name in names if re.match(r"[a-z]", name) and name not in ("cuttle", "inline")]
            self.scope("".join(name + "::" for name in ([] if class_name else own)) if own else prefix, None, True)
            return []
        if "enum" in kept:
            return self.enum(prefix, is_public, kept, words, doc)
        keys = [key for key in ("class", "struct", "union") if key in kept]
        if keys and parenthesis is None:
            names = [word for word in kept[kept.index(keys[0]) + 1:] if re.match(r"\w", word)]
            names = [name for name in names if name != "final" and not name.startswith("CUTTLE_")]
            if not names:
                self.skip_balanced()
                return None
            if "template" in words and names[0].endswith("T"):
                self.aliases.setdefault(names[0], names[0][:-1])
            entities = self.add(prefix, is_public, [names[0]], keys[0], doc)
            outer, self.found = self.found, []
            self.scope(prefix + names[0] + "::", names[0], keys[0] != "class")
            if is_public:
                outer += self.found
            self.found = outer
            return entities
        self.skip_balanced()
        if parenthesis is None and not is_operator:  # a value in braces: the declaration goes on
            return None
        following = next((text for kind, text in self.tokens[self.at:] if kind != "newline"), "")
        if following in (",", "{"):  # members that a constructor makes with braces
            return None
        return self.declaration(prefix, class_name, is_public, words, doc)

    def enum(self, prefix, is_public, kept, words, doc):
        names = [word for word in kept[kept.index("enum") + 1:] if re.match(r"\w", word) and word not in ("class", "struct")]
        name = names[0] if names else ""
        entities = self.add(prefix, is_public, [name], "enum", doc)
        own, last, expects = [], [], True
        while self.at < len(self.tokens):
            kind, text = self.tokens[self.at]
            self.at += 1
            if kind == "doc":
                own.append(text[3:])
            elif kind == "trailing":
                for entity in last:
                    entity.lines.append(text[4:].strip())
            elif kind == "sign" and text == "}":
                break
            elif kind == "sign" and text == ",":
                expects = True
            elif kind == "word" and expects:
                last, own, expects = self.add(prefix + name + "::", is_public, [text], "enumerator", own), [], False
        return entities

    def declaration(self, prefix, class_name, is_public, words, doc):
        """A function, a variable or several, or an alias."""
        kept, parenthesis, is_operator = without_templates(words)
        if not kept or is_operator or kept[0] in ("friend", "static_assert"):
            return []
        if kept[0] == "using":
            if len(kept) < 2 or "=" not in words:
                return []
            target = words[words.index("=") + 1:]
            if len(target) == 4 and target[1:] == ["<", "double", ">"] and target[0] == kept[1] + "T":
                self.aliases[target[0]] = kept[1]
                return []
            return self.add(prefix, is_public, [kept[1]], "using", doc)
        if parenthesis is not None:
            name = words[parenthesis - 1]
            if "~" in kept or name in NO_NAME or not re.match(r"[A-Za-z_]\w*$", name):
                return []
            if parenthesis >= 2 and words[parenthesis - 2] == "::":
                return []  # the definition of a member, outside of its class
            return self.add(prefix, is_public, [name], " ".join(words[: parenthesis - 1]), doc)
        if kept[0] in ("class", "struct", "enum", "template", "extern"):
            return []  # declared here, described elsewhere
        return self.variables(prefix, is_public, words, doc)

    def variables(self, prefix, is_public, words, doc):
        """`double a = 0.0, b;`: names are what stands before `=`, `,`, and the end."""
        names, angle, value, previous, depth = [], 0, False, "", 0
        for k, word in enumerate([*words, ","]):
            if word in ("(", "{", "["):
                depth += 1
                value = True
            elif word in (")", "}", "]"):
                depth -= 1
            elif not value and word == "<":
                angle += 1
            elif not value and word in (">", ">>"):
                angle -= len(word)
            elif word == "," and not depth and not angle:
                if not value and previous:
                    names.append(previous)
                value = False
            elif word == "=" and not depth and not angle:
                if previous:
                    names.append(previous)
                value = True
            elif not value and not angle and re.match(r"[A-Za-z_]\w*$", word):
                previous = word
                if k + 1 < len(words) and words[k + 1] in ("{", "["):
                    names.append(previous)
        return self.add(prefix, is_public, list(dict.fromkeys(names)), " ".join(words), doc)

    def add(self, prefix, is_public, names, head, doc):
        entities = [Entity(prefix + name, head, list(doc)) for name in names if name]
        if is_public:
            self.found += entities
        return entities


def read_headers(texts):
    """Comments of all headers by name, those of overloads and of ModelT decided: {name: Entity}, and the aliases."""
    found, aliases = [], {}
    for text in texts:
        reader = Reader(text).read()
        found += reader.found
        aliases.update(reader.aliases)
    longest = {}
    for entity in found:
        if not any(line.strip() for line in entity.lines):
            continue
        parts = [aliases.get(part, part) for part in entity.name.split("::")]
        entity.name = "::".join(parts)
        known = longest.get(entity.name)
        if known is None or len(" ".join(known.lines)) < len(" ".join(entity.lines)):
            longest[entity.name] = entity
    return longest, aliases


# --- for readers of Python --------------------------------------------------------------------------------------------

SIZE = r"(?:n[quvp]|m|n|p|[1-9]|robots|samples|paths)"
# arguments of C++ in whose place Python has others, or which it fills itself
NOT_IN_PYTHON = {"heartbeat", "progress", "visit", "visuals", "head", "options"}
TAG = re.compile(r"@(param|tparam|return|throws)\b\s*")
HERE_AND_BELOW = r",? (?:here and below|here|as all algorithms),"
WORDS = [
    (r"\s*\([^()]*\b[\w/]+\.h\b[^()]*\)", ""),  # where in the headers
    (r"\b(?:std::)?(?:nullptr|nullopt)\b|\bnull\b", "None"),
    (r"\bNull\b", "None"),
    (r"\bfalse\b", "False"),
    (r"\btrue(?=[:,;])", "True"),
    (r"\bstd::(vector|span)(<[^<>]*>)?", "list"),
    (r"\bstd::(string|map|function|optional)\b(<[^<>]*>)?", r"\1"),
    (r"\b(Vector|Matrix)X[dT]?\b(<[^<>]*>)?", "array"),
    (r"\bResults are valid until the next call\.", ""),
    (r"(?:^|[;,]? )[Vv]alid until the next call(?:(?=[.;])|$)", ""),
    (r"(?:^|(?<=\. ))(?:Allocates nothing|Nothing is allocated(?: later)?)\.\s*", ""),
    (r"; here and below nothing is allocated", ""),
    (rf"\bsize ({SIZE})\b", r"shape (\1,)"),
    (rf"(^|[(,;:] ?)({SIZE}) x ({SIZE})(?=[,;:.)\]]|$)", r"\1shape (\2, \3)"),
    (rf"\b({SIZE}) x ({SIZE})\b(?!\^)", r"(\1, \2)"),
    (r", (n[quv])(?=[;.,]|$)", r", shape (\1,)"),
    (r"(?<!\w)\((n[quv])\)", r"(\1,)"),
    (r"(?<=\w)::(?=\w)", "."),
]
OF_WORKSPACE = re.compile(r"^(data|constraints|derivatives)\.\w+(?=[,;.]|$)")


def python_words(text, aliases):
    """Words of C++ replaced by those of Python; shapes as NumPy writes them."""
    text = " ".join(text.split())
    for pattern, by in WORDS:
        text = re.sub(pattern, by, text)
    text = re.sub(r"\b(\w+T)\b", lambda match: aliases.get(match.group(1), match.group(1)), text)
    text = re.sub(r"\.(\w+)\b", lambda match: "." + match.group(1) + ("_" if keyword.iskeyword(match.group(1)) and
                                                                      match.group(1) not in ("True", "False", "None")
                                                                      else ""), text)
    return " ".join(text.split()).lstrip(".; ")


def sections_of(lines):
    """A comment in parts: its paragraphs, and [(tag, text)]. Code is left out: it is C++. A line that tells the cost is no
    part of the tag above it."""
    kept, in_code = [], False
    for line in lines:
        in_code = in_code or "@code" in line
        if not in_code:
            kept.append(line)
        if "@endcode" in line:
            in_code = False
    kept = [part for line in kept for part in re.split(r"(?<=[.;]) (?=Costs? )", line)]
    paragraphs, tags, current, in_list = [""], [], None, False
    for line in kept:
        text = line.strip()
        if not text:
            current = None
            paragraphs.append("")
            continue
        if re.match(r"(Costs?|Allocates|Nothing is allocated)\b", text) and "@" not in text:
            current = None
        if in_list and not line.startswith("  ") and not text.startswith("- "):
            paragraphs.append("")
        in_list = text.startswith("- ") or (in_list and line.startswith("  "))
        parts = TAG.split(text)
        first = parts[0]
        if first.strip():
            if current is not None:
                current[1] += "\n" + first
            elif first.startswith("- "):
                paragraphs[-1] += "\n" + first
            else:
                paragraphs[-1] += " " + first
        for tag, own in zip(parts[1::2], parts[2::2]):
            current = [tag, own]
            tags.append(current)
    return [paragraph.strip() for paragraph in paragraphs if paragraph.strip()], tags


def filled(text, indent=""):
    """A paragraph in lines; shapes and units stay on one."""
    hang = indent + ("  " if text.startswith("- ") else "")
    together = re.sub(r"shape \([^()]*\)|\[[^\[\]]{,30}\]", lambda match: match.group().replace(" ", "\0"), text)
    lines = textwrap.fill(together, WIDTH, initial_indent=indent, subsequent_indent=hang, break_long_words=False,
                          break_on_hyphens=False)
    return lines.replace("\0", " ")


def raised(text):
    """[(class or "", when)] of what stands behind @throws."""
    text = re.sub(HERE_AND_BELOW, "", " ".join(text.split()))
    parts = re.split(r"(?:^|[;.,] (?:and )?|, and | or (?=an? ))(?:an? )?\b([A-Z]\w*Error|Error)\b", text)
    result = [("", parts[0].strip(" ;,"))] if parts[0].strip(" ;,") else []
    for name, when in zip(parts[1::2], parts[2::2]):
        result.append((name, when.strip().lstrip(":,").strip()))
    return result


def raised_by(tags, entities):
    """[(class or "", when)] of all @throws of a comment; those of another function where it says `as function`."""
    result = []
    for tag, text in tags:
        for name, when in raised(text) if tag == "throws" else []:
            other = re.fullmatch(r"as `?([\w:]+?)`?\.?", when if name else name + when)
            known = entities.get(other.group(1)) if other else None
            others = raised_by(sections_of(known.lines)[1], {}) if known else []
            result += [entry for entry in others if name in ("", entry[0])] or [(name, when)]
    return result


def docstring(entity, aliases, entities):
    """The comment of an entity, laid out as NumPy does."""
    def said(text):
        return python_words(text, aliases)

    is_array = re.search(r"\b(VectorX|MatrixX|VectorXT|MatrixXT)", entity.head) is not None
    paragraphs, tags = sections_of(entity.lines)
    if is_array and paragraphs and "(" not in entity.head:
        paragraphs[0] = re.sub(rf"^({SIZE})(?=[,:;]|$)", r"size \1", paragraphs[0])
    blocks = []
    for paragraph in paragraphs:
        lines = [filled(said(line)) for line in paragraph.split("\n")]
        blocks.append("\n".join(line for line in lines if line))
    parameters, returns, raises = [], [], []
    for tag, text in tags:
        if tag == "param":
            names = re.match(r"(\w+(?:,\s*\w+)*)\s*(.*)", text, re.DOTALL)
            known = [name for name in re.split(r",\s*", names.group(1)) if name not in NOT_IN_PYTHON]
            what = said(names.group(2))
            if what and known:
                parameters.append(", ".join(known) + "\n" + filled(what, "    "))
        elif tag == "return":
            what = " ".join(text.split())
            if is_array:
                what = OF_WORKSPACE.sub("array", what)
            what = said(what)
            if what.rstrip(".") != "array":  # which the signature says
                returns.append(filled(what))
    for name, when in raised_by(tags, entities):
        when = said(when).rstrip(".")
        raises.append("cuttle." + (name or "Error") + ("\n" + filled(when + ".", "    ") if when else ""))
    for title, entries in (("Parameters", parameters), ("Returns", returns), ("Raises", raises)):
        if entries:
            blocks.append(title + "\n" + "-" * len(title) + "\n" + "\n".join(entries))
    return "\n\n".join(block for block in blocks if block)


def docstrings(texts):
    """{name: docstring} of all that has a comment in headers, sorted by name."""
    entities, aliases = read_headers(texts)
    made = {name: docstring(entities[name], aliases, entities) for name in sorted(entities)}
    return {name: text for name, text in made.items() if text}


# --- the header -------------------------------------------------------------------------------------------------------

def as_header(made):
    entries = []
    for name, text in made.items():
        if ')doc"' in text:
            raise SystemExit(f"{name}: its comment holds )doc\", which ends a raw string")
        entries.append(f'    {{"{name}", R"doc({text})doc"}},\n')
    return (
        "#pragma once\n\n// Made by scripts/make_docstrings.py from the comments of include/cuttle.\n\n"
        "#include <string_view>\n\nnamespace cuttle::python {\n\n"
        "struct Docstring {\n  std::string_view name;\n  const char* text;\n};\n\n"
        "/// By ascending names.\ninline constexpr Docstring k_docstrings[] = {\n" + "".join(entries) +
        "};\n\n}  // namespace cuttle::python\n"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("headers", type=pathlib.Path, help="folder of the headers")
    parser.add_argument("--output", type=pathlib.Path, help="header to write; it is left alone if nothing changes")
    parser.add_argument("--show", nargs="*", metavar="NAME", help="print docstrings; without names, all")
    arguments = parser.parse_args()
    paths = sorted(arguments.headers.rglob("*.h"))
    if not paths:
        sys.exit(f"{arguments.headers}: found no headers")
    made = docstrings(path.read_text(encoding="utf-8") for path in paths)
    if arguments.show is not None:
        for name in arguments.show or made:
            print(f"--- {name}\n{made[name]}\n")
    if arguments.output:
        text = as_header(made)
        if not arguments.output.exists() or arguments.output.read_text(encoding="utf-8") != text:
            arguments.output.parent.mkdir(parents=True, exist_ok=True)
            arguments.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
