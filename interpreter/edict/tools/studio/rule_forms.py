"""Forms for people who do not write code: controls worked out from a game's declarations, and rules from the answers.

There are three sorts of forms: change a thing's fields, add a thing of a kind, add a rule for everybody. Answers are
texts by the names of controls; those of an effect are `NAME.join`, `NAME.1.count`, `NAME.1.what` and so on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from itertools import groupby

from edict.compiler.english import describe_block
from edict.compiler.english.calendar import build_calendar
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import plural_title, singular_title
from edict.compiler.syntax.parse import parse
from edict.prose.rulebook.annotated_rules import AnnotatedRules, remove_judgement
from edict.prose.rulebook.things import iter_facts, sort_things
from edict.support.morphology import capitalize, split_title, to_sentence
from edict.support.records import dataclass
from edict.support.text import Source, parse_integer, to_slug
from edict.tools.studio import StudioError

CHANGE, ADD, RULE = "change", "add", "rule"
EFFECT_PARTS = 3  # of one effect
MAX_PLACES = 12  # numbers of which a form tells what is at each
MAX_NUMBER = 99
NEW_PREFIX = "new "  # before the name of a kind, for a new thing of it
WORDS, CHOICE, SEVERAL, NUMBER, TRUTH, AMOUNTS, EFFECT = (
    "words",
    "choice",
    "several",
    "number",
    "truth",
    "amounts",
    "effect",
)
# sorts of controls by shapes of types
_CONTROL_SORTS = {
    "effect": EFFECT,
    "amounts": AMOUNTS,
    "number": NUMBER,
    "truth": TRUTH,
    "thing": CHOICE,
    "set": SEVERAL,
}
Answers = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class FormChoice:
    """An option of a control."""

    value: str  # as rules write it
    title: str  # as people read it
    group: str = ""  # heading over choices that follow each other; empty for none
    possible: bool = True  # False if nothing can be there, because other things are


@dataclass(frozen=True, slots=True)
class FormControl:
    """A control of a form."""

    name: str
    title: str
    sort: str
    needed: bool = False
    low: int = 0
    high: int = MAX_NUMBER
    choices: tuple[FormChoice, ...] = ()
    now: str = ""  # current value in words, which stays if nothing is answered
    note: str = ""  # values that other things have, where no two may have the same

    @property
    def groups(self) -> list[tuple[str, list[FormChoice]]]:
        """The choices under their headings, in their order."""
        return [(group, list(choices)) for group, choices in groupby(self.choices, key=lambda choice: choice.group)]


@dataclass(frozen=True, slots=True)
class RuleForm:
    """A form."""

    what: str  # CHANGE, ADD or RULE
    title: str
    controls: tuple[FormControl, ...]
    kind: str = ""  # empty for a rule for everybody
    thing: str = ""  # the thing to change; empty otherwise


# --- what can be changed and added ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ChangeableKind:
    """A kind and its things."""

    kind: FormChoice
    things: tuple[FormChoice, ...]
    open: bool  # a form can ask for everything that a new thing needs


def list_kinds(rules: AnnotatedRules) -> tuple[ChangeableKind, ...]:
    """Return the kinds whose things have an effect or a cost."""
    rules = remove_judgement(rules)
    return tuple(
        ChangeableKind(
            FormChoice(kind.name.word, capitalize(singular_title(kind))),
            tuple(map(_to_choice, sort_things(rules, kind))),
            all(
                _build_field_control(rules, field_definition)
                for field_definition in kind.fields
                if field_definition.type is not None and _is_required(field_definition)
            ),
        )
        for kind in rules.definitions.values()
        if isinstance(kind, t.Kind) and kind.title and _has_forms(rules, kind)
    )


def _is_required(field_definition: t.FieldDef) -> bool:
    """Return True if a thing must fill in a field: it has a type, and neither field nor type is optional."""
    return field_definition.type is not None and not (field_definition.optional or field_definition.type.optional)


def _has_forms(rules: AnnotatedRules, kind: t.Kind) -> bool:
    """Return True if all things of a kind have titles, and the kind has effects, amounts or a `works if`."""
    things = rules.linked.things[kind.name.word]
    shapes = {item.type.shape for item in kind.fields if item.type is not None}
    return bool(things) and all(item.title for item in things) and bool(kind.works_if or shapes & {"effect", "amounts"})


def build_form(rules: AnnotatedRules, what: str, kind: str = "", thing: str = "") -> RuleForm:
    """Return the form to add a thing, to change one or to write a rule. Raises `StudioError` if it has none."""
    rules = remove_judgement(rules)
    if what == RULE:
        return RuleForm(RULE, "A rule for everybody", tuple(_iter_general_controls(rules)))
    declared = rules.definitions.get(kind)
    if not isinstance(declared, t.Kind):
        raise StudioError("these rules have no such kind", "choose another")
    if what == ADD:
        title = f"One more {singular_title(declared)}"
        added_controls = (
            FormControl("title", "Name", WORDS, needed=True),
            *_mark_taken_values(rules, declared, None, _iter_field_controls(rules, declared, None)),
        )
        return RuleForm(ADD, title, (*added_controls, *_iter_ability_controls(rules, declared)), kind)
    declared_thing = rules.definitions.get(thing)
    if not isinstance(declared_thing, t.Thing) or declared_thing.kind.word != kind:
        raise StudioError("there is no such thing in these rules", "choose another")
    name_control = FormControl("title", "Another name", WORDS, now=split_title(declared_thing.title)[0])
    controls = (
        name_control,
        *_mark_taken_values(rules, declared, declared_thing, _iter_field_controls(rules, declared, declared_thing)),
        *_iter_ability_controls(rules, declared),
    )
    return RuleForm(CHANGE, f"Change {singular_title(declared_thing)}", controls, kind, thing)


def _iter_field_controls(rules: AnnotatedRules, kind: t.Kind, thing: t.Thing | None) -> Iterator[FormControl]:
    """Yield controls for the fields of a kind, except those that only written rules can express."""
    for field_definition in kind.fields:
        if field_definition.type is not None:
            control = _build_field_control(rules, field_definition)
        else:
            control = None
        if control is not None:
            yield replace(
                control, needed=thing is None and control.needed, now=_describe_value(rules, field_definition, thing)
            )


def _mark_taken_values(
    rules: AnnotatedRules, kind: t.Kind, changed: t.Thing | None, controls: Iterable[FormControl]
) -> Iterable[FormControl]:
    """Return controls that tell what other things have, in fields in which no two things may be equal.

    Of a list and a number, as the row and column of a place, the list tells what is at each number.
    """
    by_name = {control.name: control for control in controls}
    fields = {f"field.{item.name.word}": item for item in kind.fields}
    own_name = changed.name.word if changed is not None else ""
    others = [thing for thing in sort_things(rules, kind) if thing.name.word != own_name]
    for unique in kind.unique:
        names = [f"field.{name.word}" for name in unique.fields]
        numbers = [name for name in names if name in by_name and by_name[name].sort == NUMBER]
        lists = [name for name in names if name in by_name and by_name[name].sort == CHOICE]
        if len(numbers) != 1 or len(numbers) + len(lists) != len(names) or len(names) > 2:
            continue
        taken = dict[str, dict[str, str]]()
        for thing in others:
            listed, number = (
                "".join(_describe_value(rules, fields[name], thing) for name in part) for part in (lists, numbers)
            )
            taken.setdefault(listed, {})[number] = split_title(thing.title)[0]
        control = by_name[numbers[0]]
        if lists:
            places = by_name[lists[0]]
            marked = (_describe_places(choice, taken.get(choice.title, {}), control) for choice in places.choices)
            by_name[places.name] = replace(places, choices=tuple(marked))
        elif taken:
            by_name[control.name] = replace(control, note=", ".join(f"{n} {title}" for n, title in taken[""].items()))
    return by_name.values()


def _describe_places(choice: FormChoice, taken: Mapping[str, str], number: FormControl) -> FormChoice:
    """Return a choice with what is at each number of it; one at which nothing is free is not possible."""
    if choice.value.startswith(NEW_PREFIX) or number.high - number.low > MAX_PLACES:
        return choice
    places = [(str(n), taken.get(str(n), "")) for n in range(number.low, number.high + 1)]
    described = ", ".join(f"{n} {title or 'free'}" for n, title in places)
    return replace(choice, title=f"{choice.title}: {described}", possible=not all(title for _, title in places))


def _build_field_control(rules: AnnotatedRules, field: t.FieldDef) -> FormControl | None:
    """Return the control for a field by its type; None if a form cannot express it or has nothing to offer."""
    assert field.type is not None
    sort = _CONTROL_SORTS.get(field.type.shape)
    if sort is None:
        return None
    title = capitalize(plural_title(field))
    control = FormControl(f"field.{field.name.word}", title, sort, _is_required(field))
    if sort == NUMBER:
        low, high = field.type.low, field.type.high
        return replace(control, low=0 if low is None else low, high=MAX_NUMBER if high is None else high)
    if sort in (CHOICE, SEVERAL):
        kind = field.type.name.word if field.type.name is not None else ""
        choices = tuple(map(_to_choice, rules.linked.things.get(kind, ())))
        new_choice = _new_thing_choice(rules, kind) if sort == CHOICE else ()
        return replace(control, choices=(*choices, *new_choice)) if choices else None
    if sort in (EFFECT, AMOUNTS):
        choices = _list_gains(rules) if sort == EFFECT else _list_resources(rules)
        return replace(control, choices=choices) if choices else None
    return control


def _describe_value(rules: AnnotatedRules, field: t.FieldDef, thing: t.Thing | None) -> str:
    """Return the value of a thing's field as people read it."""
    if thing is not None:
        value = next((field_value for field_value in thing.fields if field_value.name.word == field.name.word), None)
    else:
        value = None
    if thing is None or value is None:
        return ""
    if value.block is not None:
        return to_sentence(describe_block(rules.resolved, value.block))
    title = plural_title(field)
    return next((text or "yes" for name, text in iter_facts(rules, thing) if name == title), "")


def _iter_ability_controls(rules: AnnotatedRules, kind: t.Kind) -> Iterator[FormControl]:
    """Yield controls for an extra ability of a thing, if its kind says for whom its things work."""
    if kind.works_if is not None:
        if _list_gains(rules):
            yield FormControl("moment", "It does something more", CHOICE, choices=_list_moments(rules))
            yield FormControl("does", "its owner gets", EFFECT, choices=_list_gains(rules))
        yield from _iter_adjust_controls(rules)


def _iter_general_controls(rules: AnnotatedRules) -> Iterator[FormControl]:
    """Yield the controls of a rule for everybody: moment, gain and condition, then adjusted quantity."""
    if _list_gains(rules):
        yield FormControl("moment", "Something happens", CHOICE, choices=_list_moments(rules))
        yield FormControl("does", "every player gets", EFFECT, choices=_list_gains(rules))
        yield FormControl(
            "bound", "only players with", CHOICE, choices=(FormChoice(">=", "at least"), FormChoice("<=", "at most"))
        )
        yield FormControl("bound.count", "how many", NUMBER)
        yield FormControl("bound.what", "of what", CHOICE, choices=_list_resources(rules))
    yield from _iter_adjust_controls(rules)


def _iter_adjust_controls(rules: AnnotatedRules) -> Iterator[FormControl]:
    """Yield the controls of an adjustment: of which titled quantity with only a player, and by how much."""
    choices = tuple(
        _to_choice(definition)
        for definition in rules.definitions.values()
        if isinstance(definition, t.Quantity)
        and not isinstance(definition, t.Term)
        and definition.title
        and [param.kind.word for param in definition.params] == ["player"]
    )
    if choices:
        yield FormControl("quantity", "A number changes", CHOICE, choices=choices)
        yield FormControl("quantity.by", "by how much", NUMBER, low=-MAX_NUMBER)


def _list_moments(rules: AnnotatedRules) -> tuple[FormChoice, ...]:
    """Return a choice for each titled phase and moment that has no argument besides the player.

    They are grouped by the phase in which they come, and in each group in the order of play.
    """
    groups = dict[str, list[FormChoice]]()
    phases = list[str]()  # titles of the phases around an entry, the outermost first
    for moment in build_calendar(rules.linked):
        definition = rules.definitions.get(moment.name)
        around = next(reversed(phases[: moment.depth]), "")
        if moment.title and not moment.values and isinstance(definition, t.Phase | t.Moment):
            choice = FormChoice(moment.line, capitalize(moment.description), around or "The whole game")
            groups.setdefault(choice.group, []).append(choice)
        if isinstance(definition, t.Phase) and moment.edge == "start":
            phases[moment.depth :] = [moment.display_title]
    return tuple(choice for group in groups.values() for choice in group)


def _list_gains(rules: AnnotatedRules) -> tuple[FormChoice, ...]:
    """Return what an effect can give: resources, any of a group, and routines that take one number."""
    routines = (
        FormChoice(f"do {definition.name.word}", split_title(definition.title)[1].replace("_ ", "", 1))
        for definition in rules.definitions.values()
        if isinstance(definition, t.Routine)
        and "_ " in definition.title
        and [param.kind.word for param in definition.params] == ["number"]
    )
    return (*_list_resources(rules), *_list_groups(rules), *routines)


def _list_resources(rules: AnnotatedRules) -> tuple[FormChoice, ...]:
    """Return every resource as a choice: its name, shown by its plural title."""
    resources = (resource for resource in rules.definitions.values() if isinstance(resource, t.Resource))
    return tuple(FormChoice(resource.name.word, plural_title(resource)) for resource in resources)


def _list_groups(rules: AnnotatedRules) -> tuple[FormChoice, ...]:
    """Return every group as a choice, shown like `any goods`."""
    groups = (group for group in rules.definitions.values() if isinstance(group, t.Group))
    return tuple(FormChoice(group.name.word, f"any {plural_title(group)}") for group in groups)


def _to_choice(definition: t.Definition) -> FormChoice:
    return FormChoice(definition.name.word, singular_title(definition))


def _new_thing_choice(rules: AnnotatedRules, name: str) -> tuple[FormChoice, ...]:
    """Return one choice to create a thing, if its kind requires no field but its order number; else ()."""
    kind = rules.definitions.get(name)
    if not isinstance(kind, t.Kind) or _last_order_number(rules, kind) is None:
        return ()
    return (FormChoice(NEW_PREFIX + name, f"a new {singular_title(kind)}"),)


def _last_order_number(rules: AnnotatedRules, kind: t.Kind) -> int | None:
    """Return the highest order number of a kind's things; None if order is not the only required field."""
    needed = [value.name.word for value in kind.fields if _is_required(value)]
    if not isinstance(kind.order, t.Name) or needed != [kind.order.word]:
        return None
    values = [
        value.expr
        for thing in rules.linked.things[kind.name.word]
        for value in thing.fields
        if value.name.word == kind.order.word
    ]
    return max((value.value for value in values if isinstance(value, t.Number)), default=0)


# --- rules from answers ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FormLines:
    """The lines of rules for the answers of a form, in parts, since some may replace lines of a file."""

    before: tuple[str, ...] = ()  # definitions that the others need
    title: str = ""  # of the thing, if it changes
    kind: str = ""
    thing: str = ""  # empty for a rule for everybody
    new: bool = False
    fields: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # lines of each answered field
    more: tuple[str, ...] = ()  # abilities

    @property
    def empty(self) -> bool:
        """True if nothing was answered."""
        return not (self.before or self.title or self.fields or self.more)


def write_lines(rules: AnnotatedRules, form: RuleForm, answers: Answers) -> FormLines:
    """Return the lines of rules for the answers. Raises `StudioError` if one is missing or wrong."""
    controls = {control.name: control for control in form.controls}
    for control in form.controls:
        if control.needed and not _is_answered(control, answers):
            raise StudioError(f"“{control.title}” is not filled in yet", "fill it in, or leave the form")
    if form.what == RULE:
        return FormLines(more=tuple(_build_general_rule(controls, answers)))
    title = answers.get("title", "").strip()
    title = _check_title(title, "it") if title or form.what == ADD else ""
    fields = {
        control.name.partition(".")[2]: tuple(_iter_field_lines(rules, control, answers))
        for control in form.controls
        if control.name.startswith("field.") and _is_answered(control, answers)
    }
    return FormLines(
        tuple(_iter_new_things(rules, form, answers)),
        title,
        form.kind,
        form.thing or _find_free_name(rules, title),
        form.what == ADD,
        fields,
        tuple(_build_ability_lines(controls, answers, "")),
    )


def insert_lines(text: str, form_lines: FormLines) -> tuple[str, int, int]:
    """Insert the lines into a rule file and return its text with the first and last line of the result.

    An existing definition of the thing stays in place and its answered fields are replaced; everything else is
    appended.
    """
    lines = text.rstrip("\n").split("\n") if text.strip() else []
    page = parse(Source("", text)).value
    if page is not None:
        existing = next((definition for definition in page.definitions if _defines(definition, form_lines.thing)), None)
    else:
        existing = None
    if existing is not None:
        first, lines_below = existing.span.line, len(lines) - _last_line(lines, existing)
        _update_definition(lines, existing, form_lines)
        last = len(lines) - lines_below
    else:
        lines += [""] if lines else []
        first = len(lines) + 1
        lines += [*form_lines.before, *_iter_all_lines(form_lines)]
        last = len(lines)
    return "\n".join(lines) + "\n", first, last


def _iter_all_lines(form_lines: FormLines) -> Iterator[str]:
    """Yield the lines of a declaration or an amendment of the thing, for a file that has none of it yet."""
    if not form_lines.thing:
        yield from form_lines.more
        return
    if form_lines.title and not form_lines.new:
        yield f'call {form_lines.thing} "{form_lines.title}"'
    if form_lines.new or form_lines.fields or form_lines.more:
        yield (
            f'{form_lines.kind} {form_lines.thing} "{form_lines.title}"'
            if form_lines.new
            else f"amend {form_lines.kind} {form_lines.thing}"
        )
    yield from (f"  {line}" for part in (*form_lines.fields.values(), form_lines.more) for line in part)


def find_file(texts: Mapping[str, str], thing: str) -> str:
    """Return the rule file that declares or amends a thing; empty if there is none."""
    files = {name: parse(Source("", text)).value for name, text in texts.items() if name.endswith(".edict")}
    matches = (
        name
        for name, page in files.items()
        if page and any(_defines(definition, thing) for definition in page.definitions)
    )
    return next(matches, "")


def _defines(definition: t.Definition, thing: str) -> bool:
    """Return True if a definition declares or amends the thing."""
    inner = definition.definition if isinstance(definition, t.Amend) else definition
    return bool(thing) and isinstance(inner, t.Thing) and inner.name.word == thing


def _update_definition(lines: list[str], existing: t.Definition, form_lines: FormLines) -> None:
    """Change the lines of an existing definition, from bottom to top so that line numbers above stay valid."""
    inner = existing.definition if isinstance(existing, t.Amend) else existing
    assert isinstance(inner, t.Thing)
    ends = _last_line(lines, existing)
    lines[ends:ends] = [f"  {line}" for line in form_lines.more]
    existing_fields = {field_value.name.word: field_value for field_value in inner.fields}
    insert_line = max((_last_line(lines, field_value) for field_value in inner.fields), default=existing.span.line)
    new_lines = [
        f"  {line}"
        for name, field_lines in form_lines.fields.items()
        if name not in existing_fields
        for line in field_lines
    ]
    lines[insert_line:insert_line] = new_lines
    for field_value in reversed(inner.fields):
        if field_value.name.word in form_lines.fields:
            lines[field_value.span.line - 1 : _last_line(lines, field_value)] = [
                f"  {line}" for line in form_lines.fields[field_value.name.word]
            ]
    if form_lines.title and not isinstance(existing, t.Amend):
        lines[existing.span.line - 1] = f'{form_lines.kind} {form_lines.thing} "{form_lines.title}"'
    if form_lines.title and isinstance(existing, t.Amend):
        above = [f'call {form_lines.thing} "{form_lines.title}"']
    else:
        above = []
    lines[existing.span.line - 1 : existing.span.line - 1] = [*form_lines.before, *above]


def _last_line(lines: list[str], node: t.Node) -> int:
    """Return the last line of a node, without comments and blank lines behind it."""
    last = min(max(node.span.end_line - 1, node.span.line), len(lines))
    while last > node.span.line and (not lines[last - 1].strip() or lines[last - 1].lstrip().startswith("#")):
        last -= 1
    return last


def _is_answered(control: FormControl, answers: Answers) -> bool:
    """Return True if a control has any answer: a part of an effect, an amount, or text that is not blank."""
    if control.sort == EFFECT:
        return bool(_list_effect_parts(control, answers))
    if control.sort == AMOUNTS:
        return any(answers.get(f"{control.name}.{choice.value}") for choice in control.choices)
    return bool(answers.get(control.name, "").strip())


def _iter_new_things(rules: AnnotatedRules, form: RuleForm, answers: Answers) -> Iterator[str]:
    """Yield declarations of new things that the answers refer to, each with its order number."""
    for control in form.controls:
        if answers.get(control.name, "").startswith(NEW_PREFIX):
            name, title = _name_new_thing(rules, control, answers)
            kind = rules.definitions[answers[control.name].removeprefix(NEW_PREFIX)]
            assert isinstance(kind, t.Kind) and isinstance(kind.order, t.Name)
            yield f'{kind.name.word} {name} "{title}"'
            yield f"  {kind.order.word} {(_last_order_number(rules, kind) or 0) + 1}"
            yield ""


def _name_new_thing(rules: AnnotatedRules, control: FormControl, answers: Answers) -> tuple[str, str]:
    """Return an unused name and the typed title of a new thing. Raises `StudioError` for a bad title."""
    title = _check_title(answers.get(f"{control.name}.title", ""), f"“{control.title}”")
    return _find_free_name(rules, title), title


def _check_title(title: str, what: str) -> str:
    """Return a title that can be quoted. Raises `StudioError`."""
    title = " ".join(title.split())
    if not title or '"' in title:
        raise StudioError(f"{what} has no name yet" if not title else "a name has no quotation marks", "type one")
    return title


def _find_free_name(rules: AnnotatedRules, title: str) -> str:
    """Return an unused name for a title."""
    base_name = to_slug(title) or "new"
    names = (base_name, *(f"{base_name}-{number}" for number in range(2, len(rules.definitions) + 3)))
    return next(name for name in names if name not in rules.definitions)


def _iter_field_lines(rules: AnnotatedRules, control: FormControl, answers: Answers) -> Iterator[str]:
    """Yield the lines of an answered field."""
    name = control.name.partition(".")[2]
    answer_text = answers.get(control.name, "").strip()
    if control.sort == EFFECT:
        lines = _build_effect_lines(control, answers)
        yield f"{name} {lines[0]}" if len(lines) == 1 else name
        yield from (f"  {line}" for line in lines if len(lines) > 1)
    elif control.sort == AMOUNTS:
        counts = (
            (_parse_number(control, answers.get(f"{control.name}.{item.value}", "")), item) for item in control.choices
        )
        parts = [f"{count} {item.value}" for count, item in counts if count]
        yield f"{name} {', '.join(parts) if parts else 'nothing'}"
    elif control.sort == NUMBER:
        yield f"{name} {_parse_number(control, answer_text)}"
    elif control.sort == SEVERAL:
        yield f"{name} {', '.join(item for item in answer_text.split(',') if _require_choice(control, item))}"
    else:
        if answer_text.startswith(NEW_PREFIX):
            value = _name_new_thing(rules, control, answers)[0]
        else:
            value = answer_text if control.sort == TRUTH else _require_choice(control, answer_text)
        yield f"{name} {value}"


def _build_general_rule(controls: Mapping[str, FormControl], answers: Answers) -> list[str]:
    """Return the lines of a house rule for each player, or for those with a number of something."""
    condition = ""
    if answers.get("bound"):
        what = _require_choice(controls["bound.what"], answers.get("bound.what", ""))
        count = _parse_number(controls["bound.count"], answers.get("bound.count", "") or "0")
        condition = f"{what} of it {_require_choice(controls['bound'], answers['bound'])} {count}"
    return _build_ability_lines(controls, answers, "each player where " + condition if condition else "each player")


def _build_ability_lines(controls: Mapping[str, FormControl], answers: Answers, loop_line: str) -> list[str]:
    """Return the lines of a `when` rule with its effect, if a moment is chosen, and of an `adjust` rule.

    Args:
        controls: Controls by name.
        answers: The answers.
        loop_line: Line of a loop over players around the effect; empty for none.
    """
    lines = list[str]()
    if answers.get("moment"):
        effect = _build_effect_lines(controls["does"], answers)
        if not effect:
            raise StudioError("the effect is not filled in yet", "say what is gained or lost")
        lines = [_require_choice(controls["moment"], answers["moment"])]
        lines += [f"  {loop_line}"] if loop_line else []
        lines += [f"  {'  ' if loop_line else ''}{line}" for line in effect]
    if answers.get("quantity"):
        amount = _parse_number(controls["quantity.by"], answers.get("quantity.by", ""))
        lines += [""] if lines and loop_line else []
        lines += [f"adjust {_require_choice(controls['quantity'], answers['quantity'])} by {amount}"]
    return lines


def _list_effect_parts(control: FormControl, answers: Answers) -> list[tuple[int, str]]:
    """Return (amount, resource or routine) of each row of an effect in which both are filled in."""
    rows = (f"{control.name}.{number}" for number in range(1, EFFECT_PARTS + 1))
    pairs = ((answers.get(f"{row}.count", ""), answers.get(f"{row}.what", "")) for row in rows)
    return [
        (_parse_number(control, count, -MAX_NUMBER), _require_choice(control, what))
        for count, what in pairs
        if count and what
    ]


def _build_effect_lines(control: FormControl, answers: Answers) -> list[str]:
    """Return the steps of an effect: what is gained, lost and done, all of it or one at the player's choice."""
    parts = [part for part in _list_effect_parts(control, answers) if part[0]]
    is_optional, conjunction = answers.get(f"{control.name}.may"), answers.get(f"{control.name}.join", "and")
    if conjunction == "or" and len(parts) > 1:
        only_gains = all(count > 0 and not what.startswith("do ") for count, what in parts)
        choices = [" or ".join(f"{count} {what}" for count, what in parts)] if only_gains else []
        if only_gains:
            lines = [f"gain {choices[0]}"]
        else:
            lines = ["choose one", *(f"  {_build_step(*part)}" for part in parts)]
    else:
        gained = " and ".join(f"{count} {what}" for count, what in parts if count > 0 and not what.startswith("do "))
        others = [_build_step(*part) for part in parts if part[0] < 0 or part[1].startswith("do ")]
        lines = [*([f"gain {gained}"] if gained else []), *others]
    if not is_optional or not lines:
        return lines
    if len(lines) == 1:
        return [f"may {lines[0]}"]
    return ["may", *(f"  {line}" for line in lines)]


def _build_step(count: int, what: str) -> str:
    """Return the step that gives an amount: `gain 2 wood`, `lose 1 wood` or `do build with 2`."""
    if what.startswith("do "):
        return f"{what} with {count}"
    return f"gain {count} {what}" if count > 0 else f"lose {-count} {what}"


def _parse_number(control: FormControl, text: str, least: int | None = None) -> int:
    """Return a typed number. Raises `StudioError` if it is not a number or out of bounds."""
    low = control.low if least is None else least
    normalized = text.strip().replace("\u2212", "-").removeprefix("+")
    number = parse_integer(normalized) if text.strip() else 0
    if number is None:
        raise StudioError(f"`{text}` is not a number", "type digits")
    if not low <= number <= control.high:
        raise StudioError(f"{number} is not within {low} to {control.high}", f"“{control.title}” must be in that range")
    return number


def _require_choice(control: FormControl, value: str) -> str:
    """Return a value that the control offers. Raises `StudioError` for any other, which a form cannot send."""
    if value not in {choice.value for choice in control.choices}:
        if value:
            reason = f"`{value}` is not one of the choices"
        else:
            reason = f"“{control.title}” is not chosen yet"
        raise StudioError(reason, "choose one from the list")
    return value
