"""Plans: short texts beside the rules that say how a player means to play, compiled to quantities of the rules.

    first mill, then bakery             # until you have it: what brings it nearer, and nothing that takes it away
    prefer flour until day > 2          # a thing to choose, an option "in quotes", or what there should be more of
    never shops where street of it is main-street
    avoid "Pass" when flour of you < 3

Everything after the first word is Edict, and is read, resolved and type-checked as a part of the rules. What a goal
still costs follows from the rules of the action that chooses it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace

from edict.compiler.pipeline.compiled_plans import FIRST, MARK, NEVER, OPEN, VERBS, Plan, PlanLine
from edict.compiler.pipeline.pipeline import build_program, typecheck
from edict.compiler.semantics.symbols import definition_of
from edict.compiler.semantics.types import TypedBook
from edict.compiler.sources.compiler_fingerprint import fingerprint
from edict.compiler.sources.module_set import Modules, hash_rules
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.printing import print_expression
from edict.compiler.syntax.traversal import walk
from edict.runtime.program import Program
from edict.runtime.program.program_json import parse_program
from edict.support import signed_cache
from edict.support.records import dataclass
from edict.support.report import Diagnostic, Edit, Label, Outcome, suggest_word
from edict.support.request_errors import RequestError
from edict.support.text import Source, Span

CLAUSES = {"when": True, "if": True, "unless": False, "until": False}  # whether the condition must hold
FORM = "begin a line with `first`, `prefer`, `avoid` or `never`, and name things or an option in quotes"
MOST_LINES = 50
STEP_WEIGHT = 100  # value of a thing that is still missing, above the amounts that are missing for it
HAVING_WEIGHT = 10_000
DERIVED_FILE = "plan.edict"
_IS_NUMBER, _UNUSED = "E0417", "E0554"
_PIECE = re.compile(r'"[^"]*"|[()#;]|,[ \t]*then(?![\w-])|(?<![\w-])(?:when|if|unless|until)(?![\w-])')


class PlanError(RequestError):
    """A plan that cannot be read, with the place in its file."""

    def __init__(self, source: Source, line: int, reason: str, remedy: str) -> None:
        super().__init__(f"{source.name}:{line}: {reason}", remedy)


@dataclass(frozen=True, slots=True)
class _Text:
    """A stretch of a line of a plan."""

    text: str
    line: int
    column: int

    def strip(self) -> _Text:
        """Return the text without space around it."""
        return _Text(self.text.strip(), self.line, self.column + len(self.text) - len(self.text.lstrip()))


@dataclass(frozen=True, slots=True)
class _Statement:
    """A statement of a plan about one target."""

    name: str  # the beginning of the names of its definitions
    verb: str
    whole: str
    target: _Text
    conditions: tuple[tuple[str, bool, _Text], ...]  # name of the value, whether it must hold, text


PlannedProgram = tuple[Program, tuple[Plan, ...]]


def compile_plans(modules: Modules, sources: Sequence[Source], marked: bool = False) -> Outcome[PlannedProgram]:
    """Return the program of rules together with plans, from the cache if they were compiled before.

    Args:
        modules: The rules.
        sources: The plans.
        marked: Whether the program gets a truth of each player, `MARK`, in which can be put down that a goal was met;
            then the plans no longer apply.

    Raises:
        PlanError: A line of a plan begins wrongly, or is incomplete.
    """
    statements = [[*_read_statements(source, number)] for number, source in enumerate(sources, 1)]
    key = hash_rules((*modules[:-1], replace(modules[-1], sources=(*modules[-1].sources, *sources))))
    name = f"{key}-{'marked' if marked else 'planned'}-{fingerprint()}.program"
    cached = signed_cache.read(name)
    if cached is not None:
        data = json.loads(cached)
        return Outcome((parse_program(data["program"]), tuple(map(_parse_plan, data["plans"]))))
    outcome = _PlanCompiler(modules, sources, statements, marked).compile()
    if outcome.value is not None and not outcome.diagnostics:
        program, plans = outcome.value
        data = {"program": program.to_json(), "plans": [asdict(plan) for plan in plans]}
        signed_cache.write(name, json.dumps(data).encode())
    return outcome


def _parse_plan(data: dict[str, list[dict[str, list[list[str]]]]]) -> Plan:
    """Build a plan from JSON data."""
    pairs = ("conditions", "lacks")
    lines = ({**line, **{key: tuple(map(tuple, line[key])) for key in pairs}} for line in data["lines"])
    return Plan(str(data["name"]), tuple(PlanLine(**line) for line in lines))  # type: ignore[arg-type]


# --- reading -----------------------------------------------------------------------------------------


def _read_statements(source: Source, number: int) -> Iterator[_Statement]:
    """Yield the statements of a plan; raise `PlanError` where one begins wrongly or is incomplete."""
    lines = enumerate(source.lines, 1)
    texts = [text for line, written in lines for text in _split_line(written, line) if text.text]
    if not texts:
        raise PlanError(source, 1, "the plan is empty", FORM)
    if len(texts) > MOST_LINES:
        raise PlanError(source, texts[MOST_LINES].line, f"a plan has at most {MOST_LINES} lines", "leave some out")
    for position, text in enumerate(texts, 1):
        yield from _read_statement(source, text, f"plan-{number}-{position}")


def _split_line(written: str, line: int) -> Iterator[_Text]:
    """Yield the statements of a line, which semicolons separate, without comments."""
    start = 0
    for piece in _PIECE.finditer(written):
        if piece.group() in (";", "#"):
            yield _Text(written[start : piece.start()], line, start + 1).strip()
            start = piece.end() if piece.group() == ";" else len(written) + 1
        if start > len(written):
            return
    if written[start:].strip():
        yield _Text(written[start:], line, start + 1).strip()


def _read_statement(source: Source, text: _Text, name: str) -> Iterator[_Statement]:
    """Yield the statements of a text, one for each target."""
    verb = text.text.split()[0]
    if verb not in VERBS:
        remedy = suggest_word(verb, VERBS) or FORM
        raise PlanError(source, text.line, f"no line of a plan begins with `{verb}`", remedy)
    parts: list[tuple[str, int, int]] = []  # the word before each part, its start and its end
    word, start, depth = verb, len(verb), 0
    for piece in _PIECE.finditer(text.text):
        depth += (piece.group() == "(") - (piece.group() == ")")
        if depth == 0 and piece.group()[0] in ",wiu":
            parts.append((word, start, piece.start()))
            word, start = piece.group(), piece.end()
    parts.append((word, start, len(text.text)))
    cut = [(word, _Text(text.text[start:end], text.line, text.column + start).strip()) for word, start, end in parts]
    for word, part in cut:
        if not part.text:
            raise PlanError(
                source,
                text.line,
                f"nothing follows `{word.lstrip(', ')}`",
                "write a name, an option in quotes, or a condition",
            )
    clauses = [(word, part) for word, part in cut if word in CLAUSES]
    targets = [(word, part) for word, part in cut if word not in CLAUSES]
    if len(targets) > 1 and verb != FIRST:
        raise PlanError(
            source, text.line, f"`then` follows `first` only, not `{verb}`", f"write another line, `{verb} ...`"
        )
    conditions = tuple((f"{name}-if-{i}", CLAUSES[word], part) for i, (word, part) in enumerate(clauses, 1))
    for i, (_, target) in enumerate(targets, 1):
        yield _Statement(f"{name}-{i}", verb, text.text, target, conditions)


# --- compiling ---------------------------------------------------------------------------------------


class _Draft:
    """A source that is made of a plan, a definition for each line, and the way back to the plan."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._lines: list[str] = []
        self._origins: list[tuple[int, int]] = []  # by line: the line of the plan, and how far columns are shifted

    def add(self, head: str, text: _Text, tail: str = "") -> None:
        """Add a definition that contains a text of the plan."""
        self._lines.append(f"{head}{text.text}{tail}")
        self._origins.append((text.line, text.column - len(head) - 1))

    def to_source(self) -> Source:
        """Return what is compiled."""
        return Source(self.source.name, "\n".join(self._lines) + "\n")

    def to_original(self, diagnostic: Diagnostic) -> Diagnostic:
        """Return a diagnostic with its places in the plan."""
        labels = tuple(Label(self._place(label.span), label.text) for label in diagnostic.labels)
        edits = tuple(Edit(self._place(edit.span), edit.text) for edit in diagnostic.edits)
        title = diagnostic.title.replace("`not` takes", "a condition takes")  # it is written behind one
        return replace(diagnostic, title=title, span=self._place(diagnostic.span), labels=labels, edits=edits)

    def _place(self, span: Span) -> Span:
        """Return the place in the plan of a place in what is compiled."""
        if span.file != self.source.name:
            return span
        line, shift = self._origins[min(max(span.line, 1), len(self._origins)) - 1]
        start = max(1, span.column + shift)
        end = span.end_column + shift if span.end_line == span.line else len(self.source.lines[line - 1]) + 1
        return Span(span.file, line, start, line, max(start + 1, end))


class _PlanCompiler:
    """The compilation of some plans with the rules that they are for."""

    def __init__(
        self, modules: Modules, sources: Sequence[Source], statements: Sequence[list[_Statement]], marked: bool
    ) -> None:
        self.modules, self.sources, self.statements, self.marked = modules, sources, statements, marked
        self.drafts = [_Draft(source) for source in sources]
        self.numbers: set[str] = set()  # the targets that are numbers

    def compile(self) -> Outcome[PlannedProgram]:
        """Compile the plans, or report their mistakes at their own places."""
        outcome = self._check_targets()
        if outcome.value is None or not outcome.ok:
            return Outcome(None, self._to_original(outcome.diagnostics))
        typed, plans, definitions = outcome.value, list[Plan](), list[str]()
        if self.marked:
            definitions += [
                f"keep {MARK} of player as truth, quiet",
                f"value {OPEN} is not ({MARK} of you)",
                f"quantity {OPEN}-count is {_count_unless(f'{MARK} of you')}",
            ]
        for source, statements in zip(self.sources, self.statements, strict=True):
            lines = []
            for statement in statements:
                line, defined = self._derive_line(typed, statement)
                lines.append(line)
                definitions += defined
            plans.append(Plan(source.name, tuple(sorted(lines, key=lambda line: line.verb != NEVER))))
        built = build_program(self._lay_over(definitions))
        findings = self._to_original(finding for finding in built.diagnostics if finding.code != _UNUSED)
        return Outcome((built.value, tuple(plans)) if built.value else None, findings)

    def _check_targets(self) -> Outcome[TypedBook]:
        """Return the rules with the names and types of all targets and conditions."""
        for _ in range(2):  # only its type tells whether a target is a quantity
            self.drafts = [_Draft(source) for source in self.sources]
            for draft, statements in zip(self.drafts, self.statements, strict=True):
                for statement in statements:
                    if not statement.target.text.startswith('"'):
                        sort = "quantity" if statement.name in self.numbers else "value"
                        draft.add(f"{sort} {statement.name} is (", statement.target, ")")
                for name, _, text in {c[0]: c for statement in statements for c in statement.conditions}.values():
                    draft.add(f"value {name} is not (", text, ")")
            outcome = typecheck(self._lay_over()).outcome
            named = {
                word for found in outcome.diagnostics if found.code == _IS_NUMBER for word in found.title.split("`")
            }
            self.numbers = {s.name for statements in self.statements for s in statements if s.name in named}
            if not self.numbers:
                break
        return outcome

    def _lay_over(self, definitions: Iterable[str] = ()) -> Modules:
        """Return the modules with the plans and further definitions in the last one."""
        derived = Source(DERIVED_FILE, "".join(f"{definition}\n" for definition in definitions))
        *first, last = self.modules
        drafts = (draft.to_source() for draft in self.drafts)
        return (*first, replace(last, sources=(*last.sources, *drafts, *([derived] if derived.text else []))))

    def _to_original(self, diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
        """Return diagnostics with their places in the plans."""
        for draft in self.drafts:
            diagnostics = [draft.to_original(diagnostic) for diagnostic in diagnostics]
        return tuple(diagnostics)

    # --- what a line comes to

    def _derive_line(self, typed: TypedBook, statement: _Statement) -> tuple[PlanLine, list[str]]:
        """Return the line of a plan for a statement, and the definitions that it needs."""
        name, target = statement.name, statement.target
        conditions = tuple((condition, not holds) for condition, holds, _ in statement.conditions)
        if self.marked:
            conditions = (*conditions, (OPEN, True))
        line = PlanLine(statement.verb, statement.whole, target.line, target.text, conditions=conditions)
        if target.text.startswith('"'):
            return replace(line, option=target.text.strip('"')), []
        expr = typed.resolved.require_definition(name).value
        type_ = typed.resolved.types[expr]
        if type_.kind == "resource":
            total = f"quantity {name}-sum is sum of (it of you) over ({name})"
            return replace(line, measure=f"{name}-sum", gains=True), [total]
        if type_.shape not in ("thing", "set"):
            if statement.verb != FIRST or type_.shape != "truth":
                return replace(line, measure=name), []
            goal = _Goal(name, f"quantity {name}-missing is {_count_unless(name)}")
            return self._measure_goal(line, goal, _iter_needs(typed, expr))
        holdings = _find_holdings(typed, type_.kind)
        if statement.verb != FIRST or not holdings:
            return replace(line, target=name), []
        rest = f"({name} where not ({' or '.join(f'it is in ({keep} of you)' for keep in holdings)}))"
        goal = _Goal(name, f"quantity {name}-missing is count of {rest}", rest, _find_action(typed, type_.kind))
        if goal.action is None:
            return replace(line, target=name, missing=goal.missing), [goal.definition]
        return self._measure_goal(line, goal, _iter_needs_of_action(typed, goal.action))

    def _measure_goal(self, line: PlanLine, goal: _Goal, needs: Iterable[_Need]) -> tuple[PlanLine, list[str]]:
        """Return the line of a goal with the measure of how near it is, and all definitions for that."""
        parts = {f"{goal.name}-need-{i}": need for i, need in enumerate(needs, 1)}
        written = {part: f"quantity {part}{goal.parameter} is {need.text}" for part, need in parts.items()}
        outcome = typecheck(self._lay_over(written.values())).outcome
        errors = [finding.span for finding in outcome.diagnostics if finding.is_error]
        unsound = {span.line for span in errors if span.file == DERIVED_FILE}  # they name what only the action knows
        for number, part in enumerate(written, 1):
            if number in unsound:
                del parts[part]
        definitions = [goal.definition, *(written[part] for part in parts)]
        total = " + ".join(f"{part}{goal.argument}" for part, need in parts.items() if need.is_amount) or "0"
        lacks = {part: need.label for part, need in parts.items()}
        if goal.action is not None:
            short = f"{goal.name}-short"
            ways = [f"{short}{goal.argument}"]
            for need in parts.values():
                if need.steps:
                    own = f"{STEP_WEIGHT} + {short} of it" if need.is_same_kind else str(STEP_WEIGHT)
                    ways.append(f"(sum of ({own}) over ({need.steps}))")
            definitions += [
                f"quantity {short}{goal.parameter} is {total}",
                f"quantity {goal.name}-way{goal.parameter} is {' + '.join(ways)}",
                *(f"quantity {part}-sum is sum of ({part} of it) over {goal.rest}" for part in parts),
            ]
            total = f"(sum of ({goal.name}-way of it) over {goal.rest})"
            lacks = {f"{part}-sum": label for part, label in lacks.items()}
        measure = f"{goal.name}-goal"
        distance = f"({total} + {HAVING_WEIGHT} * {goal.missing})"
        definitions.append(f"quantity {measure} is -{distance}" + (f" * {OPEN}-count" if self.marked else ""))
        labelled = tuple((label, part) for part, label in lacks.items())
        return replace(line, measure=measure, missing=goal.missing, lacks=labelled), definitions


@dataclass(frozen=True, slots=True)
class _Goal:
    """The target of `first`: things to have, or a condition."""

    name: str
    definition: str  # of the quantity for how many of the things are missing, or 1 until the condition holds
    rest: str = ""  # the things that are missing
    action: t.Action | None = None  # that chooses them

    @property
    def missing(self) -> str:
        """The name of the quantity for what is missing."""
        return f"{self.name}-missing"

    @property
    def argument(self) -> str:
        """The thing in the words of the action, as the argument of a quantity; empty without an action."""
        return f" of {self.action.params[0].name.word}" if self.action else ""

    @property
    def parameter(self) -> str:
        """The same as the parameter of a quantity."""
        if self.action is None:
            return ""
        kind, name = self.action.params[0].kind.word, self.action.params[0].name.word
        return f" of {kind}" if kind == name else f" of {kind} called {name}"


# --- what a goal needs, by the rules -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Need:
    """A requirement of a goal as a number that is 0 when it is met."""

    label: str
    text: str
    is_amount: bool = False
    steps: str = ""  # the things that must be had before
    is_same_kind: bool = False  # they are of the kind of the goal


def _iter_needs(typed: TypedBook, expr: t.Expr, rule: t.Rule | None = None) -> Iterator[_Need]:
    """Yield what a condition demands, piece by piece."""
    label = (rule.because or rule.name.word) if rule else print_expression(expr)
    if isinstance(expr, t.Binary) and expr.op == "and":
        yield from _iter_needs(typed, expr.left, rule)
        yield from _iter_needs(typed, expr.right, rule)
    elif isinstance(expr, t.Binary) and expr.op in ("<", "<=", ">", ">="):
        yield _Need(label, _measure_shortfall(expr), is_amount=True)
    elif (
        isinstance(expr, t.Quantified) and expr.op == "every" and typed.resolved.types[expr.members].kind == "resource"
    ):
        if isinstance(expr.condition, t.Binary) and expr.condition.op in ("<", "<=", ">", ">="):
            short, members = _measure_shortfall(expr.condition), print_expression(expr.members)
            for resource in _list_resources(typed):
                text = f"sum of ({short}) over (({members}) where it is {resource.name.word})"
                yield _Need(_title(resource), text, is_amount=True)
    elif isinstance(expr, t.CanPay):
        yield from _iter_price(typed, expr.options)
    elif isinstance(expr, t.Binary) and expr.op == "within":
        steps = f"({print_expression(expr.left)}) where it is not in ({print_expression(expr.right)})"
        kind = typed.resolved.types[expr.left].kind
        yield _Need(
            label, f"count of ({steps})", steps=steps, is_same_kind=kind == typed.resolved.types[expr.right].kind
        )
    elif isinstance(expr, t.Expr):
        yield _Need(label, _count_unless(print_expression(expr)))


def _iter_needs_of_action(typed: TypedBook, action: t.Action) -> Iterator[_Need]:
    """Yield what the rules of an action demand of the thing that it chooses, its price and that it is on offer."""
    needs = [need for rule in action.rules for need in _iter_needs(typed, rule.require, rule)]
    yield from needs
    if not any(need.is_amount for need in needs):
        for payment in (node for node in walk(action) if isinstance(node, t.Spend)):
            yield from _iter_price(typed, payment.options)
    source = action.params[0].source
    if source is not None:
        offered = f"{action.params[0].name.word} is in ({print_expression(source)})"
        yield _Need("an offer of it", _count_unless(offered))


def _measure_shortfall(expr: t.Binary) -> str:
    """Return how much is missing for a comparison to hold, as Edict."""
    low, high = (expr.left, expr.right) if expr.op[0] == "<" else (expr.right, expr.left)
    more = " + 1" if "=" not in expr.op else ""
    return f"best of (({print_expression(low)}) - ({print_expression(high)}){more}) and 0"


def _iter_price(typed: TypedBook, options: Sequence[t.Bundle]) -> Iterator[_Need]:
    """Yield what is missing of each resource of a price, if there is only one way to pay it."""
    parts = list(options[0].parts) if len(options) == 1 else []
    for part in parts:
        for single in typed.resolved.prices.get(part, (part,)):
            resource = definition_of(typed.resolved, single.what) if isinstance(single, t.Part) else None
            if isinstance(resource, t.Resource) and isinstance(single, t.Part):
                text = f"best of (({print_expression(single.amount)}) - {resource.name.word} of you) and 0"
                yield _Need(_title(resource), text, is_amount=True)


def _count_unless(condition: str) -> str:
    """Return 1 unless a condition holds, as Edict."""
    return f"count of (everyone where it is you and not ({condition}))"


def _title(resource: t.Definition) -> str:
    return (resource.title or resource.name.word).partition("/")[0]


def _list_resources(typed: TypedBook) -> list[t.Resource]:
    return [*typed.resolved.book.select(t.Resource)]


def _find_action(typed: TypedBook, kind: str) -> t.Action | None:
    """Return the action that chooses one thing of a kind first, if there is only one."""
    actions = [*typed.resolved.book.select(t.Action)]
    choosing = [action for action in actions if action.params and action.params[0].kind.word == kind]
    return choosing[0] if len(choosing) == 1 else None


def _find_holdings(typed: TypedBook, kind: str) -> list[str]:
    """Return the names of the keeps in which each player gathers things of a kind, none of them from the beginning."""
    keeps = [*typed.resolved.book.select(t.Keep)]
    return [
        keep.name.word
        for keep in keeps
        if [param.kind.word for param in keep.params] == ["player"]
        and keep.type.name is not None
        and keep.type.name.word in (kind, f"{kind}s")
        and keep.start is None
    ]
