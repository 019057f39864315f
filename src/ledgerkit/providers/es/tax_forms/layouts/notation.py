"""Notation of the fields of a page or record in the files of designs.

A line is `<first position> <shapes> <contents>`. A shape is the official type with length and decimals: `An9`, `N17.2`.
Several shapes, joined by commas, repeat in turn over the contents of the line. A content is one of

    -            reserved: blank, or zeros in a number
    "T"          constant
    07           box with that official number
    tax_id       name of ours, with any of these behind it:
      !          mandatory
      ~          text that is cut at its length
      #          digits of an identification, filled with zeros on the left
      ?12  ?X    flag with the characters for yes and, where it is none blank, no
"""

import re

from ledgerkit.providers.es.tax_forms.layouts.design import Content, Field, FieldType

_SHAPE = re.compile(r"(?P<type>An|A|Num|N)(?P<length>\d+)(?:\.(?P<decimals>\d+))?")
_NAMED = re.compile(r"(?P<name>[a-z0-9_]+)(?P<mandatory>!)?(?P<kind>~|#|\?(?P<letters>.{1,2}))?")


def parsed_fields(description: str) -> tuple[Field, ...]:
    """Return the fields of a page or record. Raises ValueError for a line that the notation lacks, and for a gap."""
    fields: list[Field] = []
    for line in description.strip().splitlines():
        position, shapes, *contents = line.split()
        expected = fields[-1].position + fields[-1].length if fields else int(position)
        if int(position) != expected:
            raise ValueError(f"{line}: begins at {position}, not at {expected}")
        fields += _run(expected, shapes.split(","), contents)
    return tuple(fields)


def constant(position: int, text: str) -> Field:
    """Return the field of a constant at a position."""
    return Field(position=position, length=len(text), type=FieldType.AN, content=Content.CONSTANT, constant=text)


def _run(position: int, shapes: list[str], contents: list[str]) -> list[Field]:
    if len(contents) % len(shapes):
        raise ValueError(f"{contents}: no multiple of the {len(shapes)} shapes")
    fields = []
    for number, content in enumerate(contents):
        fields.append(_field(position, shapes[number % len(shapes)], content))
        position += fields[-1].length
    return fields


def _field(position: int, shape: str, content: str) -> Field:
    parts = _SHAPE.fullmatch(shape)
    if parts is None:
        raise ValueError(f"{shape}: no shape of a field")
    length, kind = int(parts["length"]), FieldType(parts["type"])
    if content == "-":
        return Field(position=position, length=length, type=kind, content=Content.RESERVED)
    if content.startswith('"'):
        return Field(position=position, length=length, type=kind, content=Content.CONSTANT, constant=content.strip('"'))
    return _named_field(position, length, kind, int(parts["decimals"] or 0), content)


def _named_field(position: int, length: int, kind: FieldType, decimals: int, content: str) -> Field:
    marks = _NAMED.fullmatch(content)
    if marks is None:
        raise ValueError(f"{content}: no content of a field")
    letters = marks["letters"] or ""
    return Field(
        position=position,
        length=length,
        type=kind,
        content=_content(kind, marks["kind"] or ""),
        decimals=decimals,
        name=marks["name"],
        yes=letters[:1],
        no=letters[1:] or " ",
        mandatory=bool(marks["mandatory"]),
        shortened=marks["kind"] == "~",
    )


def _content(kind: FieldType, mark: str) -> Content:
    if mark == "#":
        return Content.DIGITS
    if mark.startswith("?"):
        return Content.FLAG
    return Content.AMOUNT if kind in {FieldType.NUM, FieldType.N} else Content.TEXT
