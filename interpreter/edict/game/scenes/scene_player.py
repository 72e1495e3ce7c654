"""One scene played and compared: dice and answers come from the scene; what is not as it says is a difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from edict.game.explanations.reasons_in_words import for_readers, refused
from edict.game.explanations.why_options import Why
from edict.game.scenes.scene_facts import PlaceFacts
from edict.game.scenes.scene_files import Scene
from edict.game.scenes.scene_steps import ALL, ANSWER, ASKED, CAN, CANNOT, DICE, DRAWN, NOW, SceneStep, match, offered
from edict.game.scenes.scene_vocabulary import SceneVocabulary, some
from edict.game.table.addresses import PLAYER, Layout
from edict.game.table.carry_over import readings
from edict.game.table.faults import fault
from edict.game.table.game import Game
from edict.game.table.game_steps import Step as GameStep
from edict.game.table.game_steps import Table
from edict.game.table.journal import Header
from edict.game.table.knowledge import compute
from edict.game.table.log import Teller
from edict.game.table.log_entries import Entry
from edict.game.table.options import Ask, Options, is_roll
from edict.game.table.panels import titled
from edict.game.table.seeded_luck import draw
from edict.runtime.machine.events import make_event_buffer, run_logged
from edict.runtime.program import Program, Type
from edict.runtime.program import opcodes as o
from edict.support.morphology import join_words, uncapitalize
from edict.support.report import RulesError, did_you_mean
from edict.support.text import Span

_PLAYERS = Type("set", PLAYER)


@dataclass(frozen=True, slots=True)
class SceneDifference:
    """Something that is not as the scene says; `help` where the scene lacks something."""

    what: str
    expected: str
    found: str
    span: Span
    help: str = ""


class Stopped(Exception):
    """The scene cannot continue."""

    def __init__(self, difference: SceneDifference) -> None:
        self.difference = difference
        super().__init__(difference.what)


@dataclass
class ScenePlayer:
    """A scene made ready for a program, the state and events of its game, and what differs."""

    scene: Scene
    program: Program
    layout: Layout
    words: SceneVocabulary
    state: list[int]
    steps: list[SceneStep]
    then: PlaceFacts
    code: Sequence[int] = ()
    before: list[int] = field(init=False)
    options: Options = field(init=False)
    events: list[int] = field(init=False, default_factory=list)
    differences: list[SceneDifference] = field(init=False, default_factory=list)
    dice: list[tuple[int | None, int]] = field(init=False, default_factory=list)
    drawn: list[str] = field(init=False, default_factory=list)
    next: int = field(init=False, default=0)  # of the steps
    rolls: int = field(init=False, default=0)  # of a seed
    dice_span: Span | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.before = self.state.copy()
        self.options = Options(self.program, self.words.wording)
        self.code = self.code or self.program.code
        for kind in (DICE, DRAWN):
            if kind in self.scene.data:  # those of the whole scene are there from the start
                self.provide(kind)

    # --- playing

    def play(self) -> None:
        """Play the scene and compare; what differs is in `differences`."""
        try:
            self.end(self.last())
        except Stopped as stop:
            self.differences.append(stop.difference)

    def last(self) -> int:
        """Play until the scene ends; the machine's status then. Raises `Stopped` when it cannot continue."""
        buffer = make_event_buffer()
        while True:
            status = run_logged(self.code, self.state, buffer, self.events)
            if status == o.ASKING:
                answer = self.chance() if self.state[o.SEAT] == o.CHANCE else self.answer()
                if answer is None:
                    return status
                self.state[o.ANSWER] = answer
            else:
                return self.checked(status)

    def checked(self, status: int) -> int:
        if status >= 0:
            return status
        problem = fault(self.program, self.state).diagnostics[0]
        raise Stopped(SceneDifference("the rules", "no fault", f"{problem.title}, at {problem.span}", self.scene.span))

    def asked(self) -> Ask:
        state = self.state
        values = state[o.FIRST_OPTION : o.FIRST_OPTION + state[o.OPTIONS]]
        return titled(self.options, state, self.options.ask(state[o.QUESTION], state[o.SEAT], values))

    def step(self) -> SceneStep | None:
        return self.steps[self.next] if self.next < len(self.steps) else None

    # --- chance

    def chance(self) -> int | None:
        """The option that comes up; None to stop here."""
        ask = self.asked()
        rolled = is_roll(self.program.questions[self.state[o.QUESTION]])
        if not (self.dice if rolled else self.drawn):
            self.provide(DICE if rolled else DRAWN)
        if rolled and self.dice:
            return self.face(ask)
        if not rolled and self.drawn:
            return self.card(ask)
        return self.unforeseen(ask, rolled)

    def provide(self, kind: str) -> None:
        """Take the dice or draws of the next step, if it has some."""
        following = self.steps[self.next + 1 : self.next + 2]
        if (step := self.step()) is not None and step.kind == ALL and following and following[0].kind in (NOW, kind):
            self.next += 1
        while (step := self.step()) is not None and step.kind == NOW:
            self.compare_now(step)
        if step is not None and step.kind == kind:
            self.next += 1
            self.dice += step.dice
            self.drawn += step.texts
            self.dice_span = step.span

    def face(self, ask: Ask) -> int:
        seat = self.state[o.YOU]
        place = next((i for i, (who, _) in enumerate(self.dice) if who in (None, seat)), None)
        if place is None:
            name = self.words.players[seat] if 0 <= seat < len(self.words.players) else "nobody"
            raise Stopped(SceneDifference("dice", "a die for " + name, "none left for them", self.span()))
        face = self.dice.pop(place)[1]
        found = next((option.index for option in ask.options if option.value == face), None)
        if found is None:
            faces = join_words(x.text for x in ask.options)
            raise Stopped(SceneDifference("dice", f"one of the faces {faces}", str(face), self.span()))
        return found

    def card(self, ask: Ask) -> int:
        text = self.drawn.pop(0)
        found = match(ask, text, self.words.renamed)
        if found is None:
            near = did_you_mean(text, ask.keys) or f"the options are {some(ask.keys)}"
            raise Stopped(SceneDifference("drawn", text, f"cannot be drawn; {near}", self.span()))
        return found.index

    def unforeseen(self, ask: Ask, rolled: bool) -> int | None:
        """Chance the scene says nothing of: from its seed, if it has one."""
        seed = self.scene.data.get("seed")
        if isinstance(seed, int):
            self.rolls += 1
            return draw(seed, self.rolls, self.state[o.OPTIONS])
        if "stop" in self.scene.data:
            return None
        kind = DICE if rolled else DRAWN
        help = f"add to `{kind}` what comes, as in `{kind}: [{ask.keys[0]}]`; write `stop: here` to end before it"
        raise Stopped(SceneDifference("chance", f"`{kind}` for `{ask.prompt}`", "none left", self.span(), help))

    def span(self) -> Span:
        return self.dice_span or self.scene.span

    # --- answers

    def answer(self) -> int | None:
        """The option the next step takes; None to stop here."""
        ask = self.asked()
        while (step := self.step()) is not None:
            if step.kind == ALL:
                found = match(ask, step.texts[0], self.words.renamed)
                if found is not None:
                    return found.index
                self.next += 1
            elif step.kind == NOW:
                self.compare_now(step)
            elif step.kind in (DICE, DRAWN):
                raise Stopped(SceneDifference(step.kind, "chance to be asked", offered(ask), step.span))
            else:
                self.whose(ask, step)
                self.next += 1
                if step.kind == ANSWER:
                    return self.taken(ask, step)
                self.compare_offer(ask, step)
        if "stop" in self.scene.data:
            return None
        raise Stopped(SceneDifference("a question", "no further question", offered(ask), self.scene.span))

    def whose(self, ask: Ask, step: SceneStep) -> None:
        if ask.seat != step.seat:
            raise Stopped(SceneDifference("who is asked", self.words.players[step.seat], offered(ask), step.span))

    def taken(self, ask: Ask, step: SceneStep) -> int:
        found = match(ask, step.texts[0], self.words.renamed)
        if found is None:
            help = why_not(self, step.texts[0]) or _like(ask)
            raise Stopped(SceneDifference("an answer", f"{ask.player}: {step.texts[0]}", offered(ask), step.span, help))
        return found.index

    def compare_offer(self, ask: Ask, step: SceneStep) -> None:
        """What a player can and cannot answer, and what the question is."""
        if step.kind == ASKED:
            if not ask.prompt.casefold().startswith(step.texts[0].casefold()):
                self.differs(f"the question to {ask.player}", step.texts[0], ask.prompt, step.span)
            return
        found = [match(ask, text, self.words.renamed) for text in step.texts]
        if step.kind == CANNOT:
            for text, option in zip(step.texts, found, strict=True):
                if option is not None:
                    self.differs(f"{ask.player} cannot", f"no `{text}`", offered(ask), step.span)
            return
        for text, option in zip(step.texts, found, strict=True):
            if option is None:
                self.differs(f"{ask.player} {step.kind}", text, offered(ask), step.span)
        more = [option.text for option in ask.options if option not in found]
        if step.kind != CAN and more:
            self.differs(f"{ask.player} {step.kind}", join_words(step.texts), f"also {join_words(more)}", step.span)

    # --- what is so then

    def compare_now(self, step: SceneStep) -> None:
        self.next += 1
        assert step.facts is not None
        self.compare(step.facts)

    def end(self, status: int) -> None:
        """Nothing may be left over, and all must be as expected."""
        while (step := self.step()) is not None and step.kind in (NOW, ALL):
            if step.kind == NOW:
                self.compare_now(step)
            else:
                self.next += 1
        if step is not None:
            what = f"{self.words.players[step.seat]} {step.kind}" if step.seat >= 0 else step.kind
            said = join_words(step.texts) or " ".join(str(face) for _, face in step.dice)
            self.differs("a step", f"{what}: {said}", "it was never reached", step.span)
        if self.dice:
            left = " ".join(str(face) for _, face in self.dice)
            self.differs("dice", "all dice rolled", f"left over: {left}", self.span())
        if self.drawn:
            self.differs("drawn", "all drawn", f"left over: {join_words(self.drawn)}", self.span())
        if "stop" in self.scene.data and status != o.ASKING:
            self.differs("the end", "a question to stop at", "nothing is asked", self.scene.key("stop"))
        self.compare(self.then)

    # --- facts and the state

    def differs(self, what: str, expected: str, found: str, span: Span) -> None:
        self.differences.append(SceneDifference(what, expected, found, span))

    def compare(self, facts: PlaceFacts) -> None:
        """The facts against the state as it is."""
        state, words = self.state, self.words
        for fact in facts.values:
            found = fact.spot.value(state)
            if found != fact.value:
                type_ = fact.spot.variable.type
                self.differs(words.label(fact.spot), words.text(type_, fact.value), words.text(type_, found), fact.span)
        self.compare_quantities(facts)
        for known in facts.knows:
            does = known.spot.is_known(state, known.seat)
            if does != known.does:
                told = [f"{words.players[known.seat]} {'knows' if x else 'does not know'}" for x in (known.does, does)]
                self.differs(words.label(known.spot), told[0], told[1], known.span)
        self.compare_end(facts)
        self.compare_lines(facts)
        if facts.unchanged is not None:
            self.compare_rest(facts, facts.unchanged)

    def compare_quantities(self, facts: PlaceFacts) -> None:
        for one in facts.measured:
            query, what = one.measure.query, self.words.labelled(one.measure, one.of)
            text = partial(self.words.text, self.words.type_of(one.measure))
            try:
                found = compute(self.program, self.state, query, *one.of) if query >= 0 else one.measure.value
            except RulesError as fault:
                self.differs(what, text(one.value), fault.diagnostics[0].title, one.span)
                continue
            if found != one.value:
                self.differs(what, text(one.value), text(found), one.span)

    def compare_end(self, facts: PlaceFacts) -> None:
        state, words = self.state, self.words
        over = state[o.STATUS] == o.GAME_OVER
        if facts.over is not None and facts.over[0] != over:
            told = ["the game is over" if x else "the game continues" for x in (facts.over[0], over)]
            self.differs("the end", told[0], told[1], facts.over[1])
        if facts.winners is not None:
            mask = sum(1 << seat for seat in facts.winners[0])
            found = words.text(_PLAYERS, state[o.WINNERS]) if over else "the game is not over"
            if not over or state[o.WINNERS] != mask:
                self.differs("winners", words.text(_PLAYERS, mask), found, facts.winners[1])

    def compare_lines(self, facts: PlaceFacts) -> None:
        """Lines of the log: those expected of one reader stand in this order."""
        after: dict[int | None, int] = {}
        for line in facts.lines:
            texts = [entry.text for entry in self.log_read_by(line.seat)]
            start = after.get(line.seat, 0) if line.there else 0
            meant = {reading.casefold() for reading in readings(line.text, self.words.renamed)}
            there = (i for i in range(start, len(texts)) if any(text in texts[i].casefold() for text in meant))
            place = next(there, None)
            who = "the log" if line.seat is None else f"the log {self.words.players[line.seat]} reads"
            if line.there and place is None:
                self.differs(who, f"`{line.text}`", "no such line", line.span)
            elif not line.there and place is not None:
                self.differs(who, f"no `{line.text}`", f"`{texts[place]}`", line.span)
            elif place is not None:
                after[line.seat] = place + 1

    def log_read_by(self, seat: int | None) -> list[Entry]:
        """The log, as one player may read it or as it is."""
        if seat is None:
            return self.log()
        return [seen for entry in self.log() if (seen := entry.seen_by(seat)) is not None]

    def log(self) -> list[Entry]:
        teller = Teller(self.program, self.layout, self.words.wording, self.options, self.before)
        return teller.tell(self.events)

    def compare_rest(self, facts: PlaceFacts, span: Span) -> None:
        """Nothing else that people see may have changed."""
        said = {fact.spot.address for fact in facts.values}
        for cell in self.layout.whole:
            old, new = cell.value(self.before), cell.value(self.state)
            if old != new and not cell.variable.quiet and cell.address not in said:
                type_ = cell.variable.type
                self.differs(self.words.label(cell), self.words.text(type_, old), self.words.text(type_, new), span)


def _like(ask: Ask) -> str:
    """How an answer is written."""
    first = next(iter(ask.options), None)
    return f"an answer is the text of an option, as in `{ask.player}: {first.text}`" if first is not None else ""


def why_not(played: ScenePlayer, text: str) -> str:
    """In a sentence, why an answer is not offered now; nothing if it is no answer to this question at all."""
    why = Why(_game(played), None)
    if why.question.domain in ("ways", "number", "die"):
        return ""
    meant = match(why.candidates(), text, played.words.renamed)
    reasons = for_readers(refused(why, meant), True)[1:] if meant is not None else []
    words = "; ".join(one.words for one in reasons if one.level == 1)
    return f"{meant.text} is not offered: {uncapitalize(words)}" if meant is not None and words else ""


def _game(played: ScenePlayer) -> Game:
    """The game as it stands in a scene, for asking about it."""
    program, players = played.program, played.words.players
    header = Header(program.name, (), "", "", tuple(players), {}, 0, "seeded")
    table = Table(program, played.layout, played.words.wording, played.options, tuple(players), header, 0, False)
    state = played.state.copy()
    return Game(table, state, 0, GameStep.beginning(state))
