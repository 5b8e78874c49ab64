"""N-Quads for comparing: an independent reader that brings every term to one form.

A statement is a tuple of 3 or 4 tokens. One form: no \\u escapes, language tags in lower case, no
xsd:string, triple terms as <<s p o>>. Shares no code with weft or with rete.
"""
import re

XSD_STRING = "http://www.w3.org/2001/XMLSchema#string"
_SHORT = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.S)
_IRI = re.compile(r"<([^<>]*)>")
_BLANK = re.compile(r"_:[^\s<>\"()]+")
_LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"(?:@([A-Za-z0-9-]+)|\^\^<([^<>]*)>)?', re.S)
_SPACE = re.compile(r"[ \t]*")
_OUT = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


class Malformed(ValueError):
    pass


def _unescape(text):
    if "\\" not in text:
        return text

    def one(match):
        body = match.group(1)
        if body[0] in "uU" and len(body) > 1:
            return chr(int(body[1:], 16))
        if body not in _SHORT:
            raise Malformed(f"no such escape: \\{body}")
        return _SHORT[body]

    return _ESCAPE.sub(one, text)


def escape(text):
    return "".join(_OUT.get(c) or (f"\\u{ord(c):04X}" if ord(c) < 0x20 or ord(c) == 0x7F else c) for c in text)


def literal(lexical, language=None, datatype=None):
    token = f'"{escape(lexical)}"'
    if language:
        return f"{token}@{language.lower()}"
    return f"{token}^^<{datatype}>" if datatype and datatype != XSD_STRING else token


def _skip(line, at):
    return _SPACE.match(line, at).end()


def _term(line, at):
    """(token, offset behind it)"""
    at = _skip(line, at)
    if line.startswith("<<", at):
        at += 2
        inner = line.startswith("(", at)
        at += inner
        parts = []
        for _ in range(3):
            token, at = _term(line, at)
            parts.append(token)
        at = _skip(line, at)
        close = ")>>" if inner else ">>"
        if not line.startswith(close, at):
            raise Malformed(f"no {close} at {at}: {line[:200]}")
        return f"<<{' '.join(parts)}>>", at + len(close)
    first = line[at:at + 1]
    if first == "<":
        match = _IRI.match(line, at)
        if match:
            return f"<{_unescape(match.group(1))}>", match.end()
    elif first == '"':
        match = _LITERAL.match(line, at)
        if match:
            lexical, language, datatype = match.groups()
            return literal(_unescape(lexical), language, datatype and _unescape(datatype)), match.end()
    elif first == "_":
        match = _BLANK.match(line, at)
        if match:
            label = match.group().rstrip(".")
            return label, at + len(label)
    raise Malformed(f"no term at {at}: {line[:200]}")


def statement(line):
    """None for an empty line or a comment."""
    at = _skip(line, 0)
    if at == len(line) or line[at] == "#":
        return None
    tokens = []
    while not line.startswith(".", at):
        token, at = _term(line, at)
        tokens.append(token)
        at = _skip(line, at)
    if len(tokens) not in (3, 4):
        raise Malformed(f"{len(tokens)} terms: {line[:200]}")
    return tuple(tokens)


def statements(text):
    """The set of statements of N-Triples or N-Quads text (str or bytes)."""
    if isinstance(text, bytes):
        text = text.decode("utf-8")
    result = set()
    for line in text.split("\n"):
        found = statement(line.rstrip("\r"))
        if found:
            result.add(found)
    return result


def text_of(found):
    """Sorted N-Quads text; triple terms in the spelling that both engines read."""
    return "".join(" ".join(s) + " .\n" for s in sorted(found)).encode("utf-8")


def difference(got, want):
    """For messages: what is missing and what is too much."""
    missing, extra = sorted(want - got), sorted(got - want)
    shown = [f"missing {' '.join(s)[:200]}" for s in missing[:3]] + [f"extra {' '.join(s)[:200]}" for s in extra[:3]]
    return f"{len(missing)} missing, {len(extra)} extra of {len(want)}\n  " + "\n  ".join(shown)


def _json_term(term):
    kind, value = term["type"], term["value"]
    if kind == "uri":
        return f"<{value}>"
    if kind == "bnode":
        return f"_:{value.removeprefix('_:')}"
    if kind in ("literal", "typed-literal"):
        direction = term.get("its:dir")
        language = term.get("xml:lang")
        return literal(value, f"{language}--{direction}" if direction else language, term.get("datatype"))
    if kind == "triple":
        return f"<<{' '.join(_json_term(value[part]) for part in ('subject', 'predicate', 'object'))}>>"
    raise Malformed(f"no such kind of term: {term}")


def bindings(document):
    """SPARQL JSON results as a sorted list of rows, a row as a sorted tuple of (variable, term)."""
    if "boolean" in document:
        return document["boolean"]
    return sorted(tuple(sorted((name, _json_term(term)) for name, term in row.items())) for row in document["results"]["bindings"])
