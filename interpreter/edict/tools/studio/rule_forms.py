"""Forms for people who type no rules: what may be asked of a game, worked out from what it declares, and the lines that
come of the answers.

There are three: another text for a field of a thing, a thing more of a kind, a rule for everybody. The answers are
texts by the names of controls; of an effect, `NAME.join` and `NAME.1.count`, `NAME.1.what` and so on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from edict.compiler.english import describe_block
from edict.compiler.english.calendar import build_calendar
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import plural_title, singular_title
from edict.compiler.syntax.parse import parse
from edict.prose.rulebook.annotated_rules import AnnotatedRules
from edict.prose.rulebook.judgement_filter import remove_judgement
from edict.prose.rulebook.things import iter_facts, sort_things
from edict.support.morphology import capitalize, split_title, to_sentence
from edict.support.text import Source, parse_integer, to_slug
from edict.tools.studio.studio_errors import StudioError

CHANGE, ADD, RULE = "change", "add", "rule"
AT_ONCE = 3  # parts of an effect that a form has room for
LARGEST = 99
NEW = "new "  # before the name of a kind: a thing more of it, made with what asks for one
WORDS, CHOICE, SEVERAL, NUMBER, TRUTH, AMOUNTS, EFFECT = (
    "words",
    "choice",
    "several",
    "number",
    "truth",
    "amounts",
    "effect",
)
_FORMED = {"effect": EFFECT, "amounts": AMOUNTS, "number": NUMBER, "truth": TRUTH, "thing": CHOICE, "set": SEVERAL}
Answers = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class FormChoice:
    """What rules call it, and what people do."""

    value: str
    title: str


@dataclass(frozen=True, slots=True)
class Control:
    """One thing that is asked. now: what holds without an answer, in words; it is kept if nothing is answered."""

    name: str
    title: str
    sort: str
    needed: bool = False
    low: int = 0
    high: int = LARGEST
    choices: tuple[FormChoice, ...] = ()
    now: str = ""


@dataclass(frozen=True, slots=True)
class RuleForm:
    """kind, thing: what it is about; a thing more of a kind has no name yet, a rule for everybody is about neither."""

    what: str
    title: str
    controls: tuple[Control, ...]
    kind: str = ""
    thing: str = ""


# --- what can be changed and added ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Changeable:
    """A kind and its things; `open` if a form can ask for all that one more of them needs."""

    kind: FormChoice
    things: tuple[FormChoice, ...]
    open: bool


def kinds(known: AnnotatedRules) -> tuple[Changeable, ...]:
    """The kinds whose things do something or cost something."""
    known = remove_judgement(known)
    return tuple(
        Changeable(
            FormChoice(kind.name.word, capitalize(singular_title(kind))),
            tuple(map(_choice, sort_things(known, kind))),
            all(_control(known, one) for one in kind.fields if one.type is not None and _is_needed(one)),
        )
        for kind in known.definitions.values()
        if isinstance(kind, t.Kind) and kind.title and _plays(known, kind)
    )


def _is_needed(one: t.FieldDef) -> bool:
    return one.type is not None and not (one.optional or one.type.optional)


def _plays(known: AnnotatedRules, kind: t.Kind) -> bool:
    things = known.linked.things[kind.name.word]
    shapes = {one.type.shape for one in kind.fields if one.type is not None}
    return bool(things) and all(one.title for one in things) and bool(kind.works_if or shapes & {"effect", "amounts"})


def form_for(known: AnnotatedRules, what: str, kind: str = "", thing: str = "") -> RuleForm:
    """A form of one of the three sorts. Raises `StudioError` for a kind or thing that has none."""
    known = remove_judgement(known)
    if what == RULE:
        return RuleForm(RULE, "A rule for everybody", tuple(_for_everybody(known)))
    declared = known.definitions.get(kind)
    if not isinstance(declared, t.Kind):
        raise StudioError("these rules have nothing of that kind", "choose another")
    if what == ADD:
        title = f"One more {singular_title(declared)}"
        asked = (Control("title", "What is it called?", WORDS, needed=True), *_fields(known, declared, None))
        return RuleForm(ADD, title, (*asked, *_abilities(known, declared)), kind)
    there = known.definitions.get(thing)
    if not isinstance(there, t.Thing) or there.kind.word != kind:
        raise StudioError("these rules have no such thing", "choose another")
    name = Control("title", "Another name", WORDS, now=split_title(there.title)[0])
    controls = (name, *_fields(known, declared, there), *_abilities(known, declared))
    return RuleForm(CHANGE, f"Change {singular_title(there)}", controls, kind, thing)


def _fields(known: AnnotatedRules, kind: t.Kind, thing: t.Thing | None) -> Iterator[Control]:
    """What is asked of the fields of a kind, except where only a rule written by hand can say it."""
    for one in kind.fields:
        control = _control(known, one) if one.type is not None else None
        if control is not None:
            yield replace(control, needed=thing is None and control.needed, now=_now(known, one, thing))


def _control(known: AnnotatedRules, field: t.FieldDef) -> Control | None:
    assert field.type is not None
    sort = _FORMED.get(field.type.shape)
    if sort is None:
        return None
    title = capitalize(plural_title(field))
    made = Control(f"field.{field.name.word}", title, sort, _is_needed(field))
    if sort == NUMBER:
        low, high = field.type.low, field.type.high
        return replace(made, low=0 if low is None else low, high=LARGEST if high is None else high)
    if sort in (CHOICE, SEVERAL):
        kind = field.type.name.word if field.type.name is not None else ""
        choices = tuple(map(_choice, known.linked.things.get(kind, ())))
        new = _one_more(known, kind) if sort == CHOICE else ()
        return replace(made, choices=(*choices, *new)) if choices else None
    if sort in (EFFECT, AMOUNTS):
        choices = _gains(known) if sort == EFFECT else _resources(known)
        return replace(made, choices=choices) if choices else None
    return made


def _now(known: AnnotatedRules, field: t.FieldDef, thing: t.Thing | None) -> str:
    """What a field of a thing holds, as people read it."""
    value = next((one for one in thing.fields if one.name.word == field.name.word), None) if thing is not None else None
    if thing is None or value is None:
        return ""
    if value.block is not None:
        return to_sentence(describe_block(known.resolved, value.block))
    title = plural_title(field)
    return next((text or "yes" for name, text in iter_facts(known, thing) if name == title), "")


def _abilities(known: AnnotatedRules, kind: t.Kind) -> Iterator[Control]:
    """What a thing may do besides, where the kind says for whom its things work."""
    if kind.works_if is not None:
        if _gains(known):
            yield Control("moment", "It does something more", CHOICE, choices=_moments(known))
            yield Control("does", "what its owner gets then", EFFECT, choices=_gains(known))
        yield from _adjusts(known)


def _for_everybody(known: AnnotatedRules) -> Iterator[Control]:
    if _gains(known):
        yield Control("moment", "Something happens", CHOICE, choices=_moments(known))
        yield Control("does", "what every player gets then", EFFECT, choices=_gains(known))
        yield Control(
            "bound", "but only who has", CHOICE, choices=(FormChoice(">=", "at least"), FormChoice("<=", "at most"))
        )
        yield Control("bound.count", "how many", NUMBER)
        yield Control("bound.what", "of what", CHOICE, choices=_resources(known))
    yield from _adjusts(known)


def _adjusts(known: AnnotatedRules) -> Iterator[Control]:
    """Numbers that hold for each player."""
    choices = tuple(
        _choice(one)
        for one in known.definitions.values()
        if isinstance(one, t.Quantity)
        and not isinstance(one, t.Term)
        and one.title
        and [param.kind.word for param in one.params] == ["player"]
    )
    if choices:
        yield Control("quantity", "A number changes", CHOICE, choices=choices)
        yield Control("quantity.by", "by how much", NUMBER, low=-LARGEST)


def _moments(known: AnnotatedRules) -> tuple[FormChoice, ...]:
    """When rules can begin that are about nothing but the player: at phases and moments with titles of their own."""
    made = list[FormChoice]()
    for one in build_calendar(known.linked):
        there = known.definitions.get(one.name)
        if one.title and not one.values and isinstance(there, t.Phase | t.Moment):
            made.append(FormChoice(one.line, capitalize(one.description)))
    return tuple(made)


def _gains(known: AnnotatedRules) -> tuple[FormChoice, ...]:
    """What an effect of a form can give: resources, any of a group, and what is done with one number."""
    done = (
        FormChoice(f"do {one.name.word}", split_title(one.title)[1].replace("_ ", "", 1))
        for one in known.definitions.values()
        if isinstance(one, t.Routine) and "_ " in one.title and [p.kind.word for p in one.params] == ["number"]
    )
    return (*_resources(known), *_groups(known), *done)


def _resources(known: AnnotatedRules) -> tuple[FormChoice, ...]:
    found = (one for one in known.definitions.values() if isinstance(one, t.Resource))
    return tuple(FormChoice(one.name.word, plural_title(one)) for one in found)


def _groups(known: AnnotatedRules) -> tuple[FormChoice, ...]:
    found = (one for one in known.definitions.values() if isinstance(one, t.Group))
    return tuple(FormChoice(one.name.word, f"any {plural_title(one)}") for one in found)


def _choice(one: t.Definition) -> FormChoice:
    return FormChoice(one.name.word, singular_title(one))


def _one_more(known: AnnotatedRules, name: str) -> tuple[FormChoice, ...]:
    """That a new thing may be made of a kind whose things say nothing but where they come."""
    kind = known.definitions.get(name)
    if not isinstance(kind, t.Kind) or _last_place(known, kind) is None:
        return ()
    return (FormChoice(NEW + name, f"a new {singular_title(kind)}"),)


def _last_place(known: AnnotatedRules, kind: t.Kind) -> int | None:
    """The highest number by which the things of a kind are in order, if that is all that they must say."""
    needed = [one.name.word for one in kind.fields if _is_needed(one)]
    if not isinstance(kind.order, t.Name) or needed != [kind.order.word]:
        return None
    values = [
        one.expr
        for thing in known.linked.things[kind.name.word]
        for one in thing.fields
        if one.name.word == kind.order.word
    ]
    return max((one.value for one in values if isinstance(one, t.Number)), default=0)


# --- what is written ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FormLines:
    """The lines that say what was answered, in parts, since some of them may have a place in a file already.

    before: definitions that it needs. title: of the thing, if it is another. head: the line its definition begins with,
    nothing for a rule for everybody. fields, more: what stands under it, abilities last.
    """

    before: tuple[str, ...] = ()
    title: str = ""
    kind: str = ""
    thing: str = ""
    new: bool = False
    fields: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    more: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        return not (self.before or self.title or self.fields or self.more)


def written(known: AnnotatedRules, form: RuleForm, answers: Answers) -> FormLines:
    """What is to be written for the answers. Raises `StudioError` for what is missing."""
    asked = {control.name: control for control in form.controls}
    for control in form.controls:
        if control.needed and not _is_answered(control, answers):
            raise StudioError(f"“{control.title}” is not filled in yet", "fill it in, or leave the form")
    if form.what == RULE:
        return FormLines(more=tuple(_standing(asked, answers)))
    title = answers.get("title", "").strip()
    title = _quoted(title, "it") if title or form.what == ADD else ""
    fields = {
        control.name.partition(".")[2]: tuple(_field(known, control, answers))
        for control in form.controls
        if control.name.startswith("field.") and _is_answered(control, answers)
    }
    return FormLines(
        tuple(_before(known, form, answers)),
        title,
        form.kind,
        form.thing or _free(known, title),
        form.what == ADD,
        fields,
        tuple(_ability(asked, answers, "")),
    )


def laid_into(text: str, made: FormLines) -> tuple[str, int, int]:
    """A rule file with these lines in it, and the first and last of the lines that say it.

    What the file says of the thing already stays where it is, with each field said anew in its place; all else comes at
    the end.
    """
    lines = text.rstrip("\n").split("\n") if text.strip() else []
    page = parse(Source("", text)).value
    own = next((one for one in page.definitions if _is_of(one, made.thing)), None) if page is not None else None
    if own is not None:
        first, below = own.span.line, len(lines) - _end(lines, own)
        _changed(lines, own, made)
        last = len(lines) - below
    else:
        lines += [""] if lines else []
        first = len(lines) + 1
        lines += [*made.before, *_whole(made)]
        last = len(lines)
    return "\n".join(lines) + "\n", first, last


def _whole(made: FormLines) -> Iterator[str]:
    """All of it, where the file says nothing of the thing yet."""
    if not made.thing:
        yield from made.more
        return
    if made.title and not made.new:
        yield f'call {made.thing} "{made.title}"'
    if made.new or made.fields or made.more:
        yield f'{made.kind} {made.thing} "{made.title}"' if made.new else f"amend {made.kind} {made.thing}"
    yield from (f"  {line}" for part in (*made.fields.values(), made.more) for line in part)


def file_of(texts: Mapping[str, str], thing: str) -> str:
    """The rule file among these that says something of a thing already; nothing if none does."""
    files = {name: parse(Source("", text)).value for name, text in texts.items() if name.endswith(".edict")}
    found = (name for name, page in files.items() if page and any(_is_of(one, thing) for one in page.definitions))
    return next(found, "")


def _is_of(one: t.Definition, thing: str) -> bool:
    """Whether a definition says what the thing is: it is declared there, or amended."""
    inner = one.definition if isinstance(one, t.Amend) else one
    return bool(thing) and isinstance(inner, t.Thing) and inner.name.word == thing


def _changed(lines: list[str], own: t.Definition, made: FormLines) -> None:
    """The lines of a file with a definition of it changed, from its end to its beginning: so the places hold."""
    inner = own.definition if isinstance(own, t.Amend) else own
    assert isinstance(inner, t.Thing)
    ends = _end(lines, own)
    lines[ends:ends] = [f"  {line}" for line in made.more]
    there = {one.name.word: one for one in inner.fields}
    after = max((_end(lines, one) for one in inner.fields), default=own.span.line)
    new = [f"  {line}" for name, said in made.fields.items() if name not in there for line in said]
    lines[after:after] = new
    for one in reversed(inner.fields):
        if one.name.word in made.fields:
            lines[one.span.line - 1 : _end(lines, one)] = [f"  {line}" for line in made.fields[one.name.word]]
    if made.title and not isinstance(own, t.Amend):
        lines[own.span.line - 1] = f'{made.kind} {made.thing} "{made.title}"'
    above = [f'call {made.thing} "{made.title}"'] if made.title and isinstance(own, t.Amend) else []
    lines[own.span.line - 1 : own.span.line - 1] = [*made.before, *above]


def _end(lines: list[str], node: t.Node) -> int:
    """The last line of a node; comments and empty lines behind it belong to what comes next."""
    last = min(max(node.span.end_line - 1, node.span.line), len(lines))
    while last > node.span.line and (not lines[last - 1].strip() or lines[last - 1].lstrip().startswith("#")):
        last -= 1
    return last


def _is_answered(control: Control, answers: Answers) -> bool:
    if control.sort == EFFECT:
        return bool(_parts(control, answers))
    if control.sort == AMOUNTS:
        return any(answers.get(f"{control.name}.{one.value}") for one in control.choices)
    return bool(answers.get(control.name, "").strip())


def _before(known: AnnotatedRules, form: RuleForm, answers: Answers) -> Iterator[str]:
    """New things that others are put into, each with its number in the order."""
    for control in form.controls:
        if answers.get(control.name, "").startswith(NEW):
            name, title = _new(known, control, answers)
            kind = known.definitions[answers[control.name].removeprefix(NEW)]
            assert isinstance(kind, t.Kind) and isinstance(kind.order, t.Name)
            yield f'{kind.name.word} {name} "{title}"'
            yield f"  {kind.order.word} {(_last_place(known, kind) or 0) + 1}"
            yield ""


def _new(known: AnnotatedRules, control: Control, answers: Answers) -> tuple[str, str]:
    title = _quoted(answers.get(f"{control.name}.title", ""), f"“{control.title}”")
    return _free(known, title), title


def _quoted(title: str, what: str) -> str:
    """A title as it may stand in quotes. Raises `StudioError`."""
    title = " ".join(title.split())
    if not title or '"' in title:
        raise StudioError(f"{what} has no name yet" if not title else "a name has no quotation marks", "type one")
    return title


def _free(known: AnnotatedRules, title: str) -> str:
    """A name for what is called so, that nothing else has."""
    plain = to_slug(title) or "new"
    names = (plain, *(f"{plain}-{number}" for number in range(2, len(known.definitions) + 3)))
    return next(name for name in names if name not in known.definitions)


def _field(known: AnnotatedRules, control: Control, answers: Answers) -> Iterator[str]:
    """The line or lines of a field that was answered."""
    name = control.name.partition(".")[2]
    given = answers.get(control.name, "").strip()
    if control.sort == EFFECT:
        lines = _effect(control, answers)
        yield f"{name} {lines[0]}" if len(lines) == 1 else name
        yield from (f"  {line}" for line in lines if len(lines) > 1)
    elif control.sort == AMOUNTS:
        counts = ((_number(control, answers.get(f"{control.name}.{one.value}", "")), one) for one in control.choices)
        parts = [f"{count} {one.value}" for count, one in counts if count]
        yield f"{name} {', '.join(parts) if parts else 'nothing'}"
    elif control.sort == NUMBER:
        yield f"{name} {_number(control, given)}"
    elif control.sort == SEVERAL:
        yield f"{name} {', '.join(one for one in given.split(',') if _offered(control, one))}"
    else:
        value = _new(known, control, answers)[0] if given.startswith(NEW) else given
        yield f"{name} {value if control.sort == TRUTH or given.startswith(NEW) else _offered(control, given)}"


def _standing(asked: Mapping[str, Control], answers: Answers) -> list[str]:
    """A rule for everybody, at the left edge."""
    bound = ""
    if answers.get("bound"):
        what = _offered(asked["bound.what"], answers.get("bound.what", ""))
        count = _number(asked["bound.count"], answers.get("bound.count", "") or "0")
        bound = f"{what} of it {_offered(asked['bound'], answers['bound'])} {count}"
    return _ability(asked, answers, "each player where " + bound if bound else "each player")


def _ability(asked: Mapping[str, Control], answers: Answers, whom: str) -> list[str]:
    """What happens at a moment, and what is adjusted. whom: the line that goes through the players, if one does."""
    lines = list[str]()
    if answers.get("moment"):
        effect = _effect(asked["does"], answers)
        if not effect:
            raise StudioError("what happens then is not filled in yet", "say what is gained or lost")
        lines = [_offered(asked["moment"], answers["moment"])]
        lines += [f"  {whom}"] if whom else []
        lines += [f"  {'  ' if whom else ''}{line}" for line in effect]
    if answers.get("quantity"):
        by = _number(asked["quantity.by"], answers.get("quantity.by", ""))
        lines += [""] if lines and whom else []
        lines += [f"adjust {_offered(asked['quantity'], answers['quantity'])} by {by}"]
    return lines


def _parts(control: Control, answers: Answers) -> list[tuple[int, str]]:
    """How much of what, as far as both are answered."""
    rows = (f"{control.name}.{number}" for number in range(1, AT_ONCE + 1))
    found = ((answers.get(f"{row}.count", ""), answers.get(f"{row}.what", "")) for row in rows)
    return [(_number(control, count, -LARGEST), _offered(control, what)) for count, what in found if count and what]


def _effect(control: Control, answers: Answers) -> list[str]:
    """The steps of an effect: what is gained, lost and done, all of it or what the player chooses."""
    parts = [part for part in _parts(control, answers) if part[0]]
    may, joint = answers.get(f"{control.name}.may"), answers.get(f"{control.name}.join", "and")
    if joint == "or" and len(parts) > 1:
        simple = all(count > 0 and not what.startswith("do ") for count, what in parts)
        choices = [" or ".join(f"{count} {what}" for count, what in parts)] if simple else []
        lines = [f"gain {choices[0]}"] if simple else ["choose one", *(f"  {_step(*part)}" for part in parts)]
    else:
        gained = " and ".join(f"{count} {what}" for count, what in parts if count > 0 and not what.startswith("do "))
        others = [_step(*part) for part in parts if part[0] < 0 or part[1].startswith("do ")]
        lines = [*([f"gain {gained}"] if gained else []), *others]
    if not may or not lines:
        return lines
    return [f"may {lines[0]}"] if len(lines) == 1 else ["may", *(f"  {line}" for line in lines)]


def _step(count: int, what: str) -> str:
    if what.startswith("do "):
        return f"{what} with {count}"
    return f"gain {count} {what}" if count > 0 else f"lose {-count} {what}"


def _number(control: Control, text: str, least: int | None = None) -> int:
    """A number somebody typed. Raises `StudioError` where it is none, or not within its bounds."""
    low = control.low if least is None else least
    written = text.strip().replace("\u2212", "-").removeprefix("+")
    number = parse_integer(written) if text.strip() else 0
    if number is None:
        raise StudioError(f"`{text}` is not a number", "type digits")
    if not low <= number <= control.high:
        raise StudioError(f"{number} is not within {low} to {control.high}", f"“{control.title}” takes no other")
    return number


def _offered(control: Control, value: str) -> str:
    """An answer that was offered, and no text that somebody sent instead. Raises `StudioError`."""
    if value not in {one.value for one in control.choices}:
        said = f"`{value}` is not offered here" if value else f"“{control.title}” is not chosen yet"
        raise StudioError(said, "choose one of the list")
    return value
