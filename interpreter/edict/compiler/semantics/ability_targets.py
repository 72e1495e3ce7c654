"""Targets of abilities, and faults where a target cannot have what an ability waits for or adds.

Phases and routines have a start and an end, sets have members that join and leave, resources are gained and lost. A
question to which an ability adds an option is found by what a player reads of it.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Mapping

from edict.compiler.semantics.symbols import Meaning, Symbol
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import AskingStep, Role, StepAbility, iter_role_values
from edict.compiler.syntax.traversal import walk
from edict.support.morphology import join_words
from edict.support.report import Diagnostic, Edit, Label

MEMBERSHIP_EDGES = JOINING, LEAVING = "joining", "leaving"
RESOURCE_EDGES = GAINING, LOSING = "gaining", "losing"
# edges of the resources that a step of a class names
STEP_EDGES: dict[type, tuple[str, ...]] = {
    t.Gain: (GAINING,),
    t.Lose: (LOSING,),
    **dict.fromkeys((t.Take, t.TakeChosen), RESOURCE_EDGES),
}

RESOURCE_SORTS = ("resource", "group", "die")  # sorts of symbols that players gain and lose


def target_name(ability: t.Ability) -> t.Name:
    """Return the name node of the definition that an ability waits for, adjusts, shifts or replaces."""
    (name,) = iter_role_values(ability, Role.ABOUT)
    assert isinstance(name, t.Name)
    return name


def find_edge_faults(ability: t.Ability, meaning: Meaning, sets: Container[t.Definition]) -> Iterator[Diagnostic]:
    """Yield a diagnostic if the event that an ability waits for can never happen to its target.

    Args:
        ability: The ability; one that waits for no event has no faults.
        meaning: The meaning of the target's name.
        sets: The state variables (`keep`) that something can join and leave.
    """
    if not isinstance(ability, StepAbility):
        return
    name, definition = target_name(ability), getattr(meaning, "definition", None)
    edits: tuple[Edit, ...] = ()
    if isinstance(definition, t.Keep):
        fault = _describe_keep_fault(name.word, definition, definition in sets)
    elif isinstance(definition, t.Resource) and definition.secret and ability.edge:
        fault = _describe_secret_target(name.word, "players gaining or losing it")
    elif not isinstance(ability, t.When):
        return
    elif meaning.sort in ("phase", "routine") and not ability.edge:
        remedy = f"write `when start of {name.word}` or `when end of {name.word}`"
        fault = f"`{name.word}` is a {meaning.sort}, so name its start or its end", remedy
        edits = (Edit(name.span, f"start of {name.word}"),)
    elif meaning.sort == "moment" and ability.edge:
        fault = f"`{name.word}` is a moment, so it has no {ability.edge}", f"write `when {name.word}`"
    else:
        return
    if fault is not None:
        yield Diagnostic("E0209", fault[0], name.span, help=fault[1], edits=edits)


def select_target_sorts(ability: t.Ability, sorts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the sorts of symbols that an ability's target may be, out of those that the syntax allows.

    Only a `keep` has members that join and leave; only resources are gained and lost.
    """
    if not isinstance(ability, StepAbility):
        return sorts
    if ability.edge in MEMBERSHIP_EDGES:
        return ("keep",)
    if ability.edge in RESOURCE_EDGES:
        return RESOURCE_SORTS
    return tuple(sort for sort in sorts if sort not in ("keep", *RESOURCE_SORTS))


def describe_non_set(name: str) -> tuple[str, str]:
    """Return the fault and the remedy for an ability that waits for members of a `keep` that is no set."""
    return f"`{name}` is not a set, so nothing joins or leaves it", "name a keep that is a set, or a moment"


def _describe_keep_fault(name: str, keep: t.Keep, is_set: bool) -> tuple[str, str] | None:
    """Return the fault and remedy for an ability about members of a `keep`; None if that is a set and not secret."""
    if not is_set:
        return describe_non_set(name)
    if keep.secret:
        return _describe_secret_target(name, "things joining or leaving it")
    return None


def _describe_secret_target(name: str, event: str) -> tuple[str, str]:
    """Return the fault and remedy for an ability that waits for `event`, which is secret, of the keep `name`."""
    remedy = "declare a `moment`, and `trigger` it where everyone may know"
    return f"`{name}` is secret, so no rule can react to {event}", remedy


Meanings = Mapping[t.Name, Meaning]


def find_questions(meaning: Meanings, option: t.AddedOption, running_steps: Iterable[t.Stmt]) -> tuple[t.Stmt, ...]:
    """Return the steps that ask the questions to which an option is added.

    Args:
        meaning: The meanings of names.
        option: The option.
        running_steps: The steps of all rules that may do or offer the action that it is added to.
    """
    symbol = meaning[option.target]
    target = symbol.definition if isinstance(symbol, Symbol) else None
    if isinstance(target, t.Action):
        return tuple(step for step in running_steps if _offered_action(meaning, step) is target)
    steps = list_asking_steps(meaning, target) if target is not None else ()
    return tuple(step for step in steps if not option.question or option.question in _list_texts(meaning, step))


def list_running_steps(definitions: Iterable[t.Node]) -> tuple[t.Stmt, ...]:
    """Return the steps that run something or offer that; they are the same for every option."""
    return tuple(step for definition in definitions for step in _list_steps(definition) if any(_iter_run_names(step)))


def list_secret_steps(definitions: Iterable[t.Node]) -> frozenset[t.Node]:
    """Return the nodes in loops whose answers are unseen; they are the same for every option."""
    loops = (node for definition in definitions for node in walk(definition) if isinstance(node, t.EachAtOnce))
    return frozenset(node for loop in loops for node in walk(loop))


def _list_steps(definition: t.Node) -> list[t.Stmt]:
    """Return the steps in a definition; an offer stands for the step that it offers."""
    steps = [node for node in walk(definition) if isinstance(node, t.Stmt)]
    heads = {step.head for step in steps if isinstance(step, t.May)}
    return [step for step in steps if step not in heads]


def list_asking_steps(meaning: Meanings, definition: t.Node) -> tuple[t.Stmt, ...]:
    """Return the steps in a definition that ask a player; an offer stands for the step that it offers."""
    steps = _list_steps(definition)
    return tuple(s for s in steps if isinstance(s, AskingStep) or _offered_action(meaning, s) is not None)


def diagnose_question(
    meaning: Meanings, option: t.AddedOption, definition: t.Definition, questions: tuple[t.Stmt, ...]
) -> Iterator[Diagnostic]:
    """Report an option whose question is not there or not the only one."""
    if isinstance(definition, t.Action):
        if option.question:
            yield Diagnostic(
                "E0214",
                f"an option to the action `{definition.name.word}` stands beside its offer, whatever it asks",
                option.target.span,
                help=f'leave `at "{option.question}"` out',
            )
        return
    asking = list_asking_steps(meaning, definition)
    known = list(dict.fromkeys(text for step in asking for text in _list_texts(meaning, step)))
    quoted = join_words((f'`at "{text}"`' for text in known), "or")
    if not asking:
        yield Diagnostic(
            "E0214",
            f"`{definition.name.word}` asks nothing itself",
            option.target.span,
            labels=(Label(definition.name.span, "its steps"),),
            help="name the action, phase or routine that asks the question",
        )
    elif not questions:
        yield Diagnostic(
            "E0214",
            f"`{definition.name.word}` does not ask “{option.question}”",
            option.target.span,
            labels=tuple(Label(step.span, "asked here") for step in asking[:1]),
            help=f"write {quoted}" if known else f'leave `at "{option.question}"` out: its question has no text',
        )
    elif len(questions) > 1 and not option.question:
        yield Diagnostic(
            "E0214",
            f"`{definition.name.word}` asks {len(questions)} questions",
            option.target.span,
            labels=tuple(Label(step.span, "asked here") for step in questions[:3]),
            help=f"say which one, by its text or the words for declining: {quoted}" if known else _NO_TEXTS,
        )


def diagnose_secret_question(
    option: t.AddedOption, questions: tuple[t.Stmt, ...], secret_steps: Collection[t.Node]
) -> Iterator[Diagnostic]:
    """Report an option to a question that is answered in secret, as what the option does would tell the answer."""
    for step in questions:
        if step in secret_steps or any(
            getattr(part, "secretly", False) for part in (step, getattr(step, "head", None))
        ):
            yield Diagnostic(
                "E0214",
                "this question is answered in secret, so no option can be added to it",
                option.target.span,
                labels=(Label(step.span, "asked in secret"),),
                help="amend the phase, routine or action that asks it",
            )


_NO_TEXTS = "give the question a text there, or add the option to an action or routine"


def _offered_action(meaning: Meanings, step: t.Stmt) -> t.Action | None:
    """Return the action that a step does or offers, or None."""
    for name in _iter_run_names(step):
        symbol = meaning.get(name)
        if isinstance(symbol, Symbol) and isinstance(symbol.definition, t.Action):
            return symbol.definition
    return None


def _iter_run_names(step: t.Stmt) -> Iterator[t.Name]:
    """Yield the names of what a step runs or offers to run."""
    return iter_role_values(step.head if isinstance(step, t.May) and step.head is not None else step, Role.RUNS)


def _list_texts(meaning: Meanings, step: t.Stmt) -> list[str]:
    """Return the texts by which a player knows the question of a step: its own, and those for declining."""
    action = _offered_action(meaning, step)
    asking = (step, getattr(step, "head", None), *(action.params[:1] if action is not None else ()))
    texts = [getattr(part, "prompt", "") for part in asking]
    return [text for text in (*texts, getattr(step, "decline", "")) if text]
