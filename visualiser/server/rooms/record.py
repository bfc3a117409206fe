"""A room's state and its question as values, and as the JSON that stores keep."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

import orjson

from visualiser.server.rooms import remote
from visualiser.server.rooms.remote import Remote

CHOICE, CURVE = "choice", "curve"
OPEN, CLOSED, DISCUSS, REVEAL, OVER = "open", "closed", "discuss", "reveal", "over"

NEXT: Final[Mapping[str, tuple[str, ...]]] = {
    OPEN: (CLOSED, REVEAL),
    CLOSED: (DISCUSS, REVEAL),
    DISCUSS: (REVEAL,),
    REVEAL: (),
}
"""The phases that may follow each phase beside `OVER`, which ends any. Nothing else follows a reveal: a second one
would tell who came between."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question to the class: `answers` of a choice, or the `x` of a curve; `results` at its reveal.

    If it `holds`, pages stay together until then. `source` is the lesson's step that asks it, `from` in the message.
    `axes` of a curve are the values at each x, the ends of y, and which of the two are logarithmic; or they are of one
    axis alone. `figure` names its picture, of the state that the class sees. `because` explains the truth, by
    language, at the reveal. `clock` is the time at which a vote or a talk should end, `revealed` that of the reveal,
    in milliseconds since 1970. `first` is how many had answered the first round of a room that was lost in the second:
    so many may give that answer back.
    """

    id: str
    kind: str
    text: str = ""
    answers: tuple[str, ...] = ()
    x: tuple[float, ...] = ()
    x_label: str = ""
    y_label: str = ""
    prediction: Mapping[str, str] | None = None
    holds: bool = False
    source: Mapping[str, Any] | None = None
    axes: Mapping[str, Any] | None = None
    figure: str = ""
    because: Mapping[str, str] | None = None
    clock: int = 0
    revealed: int = 0
    phase: str = OPEN
    round: int = 1
    first: int = 0
    results: Mapping[str, Any] | None = None

    @property
    def takes(self) -> str:
        """The round that takes answers, as a store knows it; empty if none does."""
        return f"{self.id} {self.round}" if self.phase in (OPEN, DISCUSS) else ""

    @property
    def takes_back(self) -> str:
        """The round whose lost answers may come back; empty if none may."""
        return f"{self.id} 1" if self.first and self.phase == DISCUSS else ""

    def as_message(self) -> dict[str, Any]:
        """Return the question as the message to the class has it."""
        message: dict[str, Any] = {"id": self.id, "kind": self.kind, "text": self.text}
        if self.kind == CHOICE:
            message["answers"] = self.answers
        else:
            message |= {"x": self.x, "x_label": self.x_label, "y_label": self.y_label}
        if self.prediction is not None:
            message["prediction"] = self.prediction
        if self.holds:
            message["holds"] = True
        if self.source is not None:
            message["from"] = self.source
        if self.axes is not None:
            message["axes"] = self.axes
        if self.figure:
            message["figure"] = self.figure
        if self.clock:
            message["clock"] = self.clock
        message |= {"phase": self.phase, "round": self.round}
        if self.phase == REVEAL:
            message |= {"results": self.results, "revealed": self.revealed}
            if self.because is not None:
                message["because"] = self.because
        return message


@dataclass(frozen=True, kw_only=True)
class Record:
    """A room. `secret` is the hash of its secret, `until` its end in seconds since 1970."""

    life: str
    secret: str
    until: float
    link: str = ""
    page: str = "explore"
    row: int | None = None
    focus: str = ""
    hovered: Mapping[str, Any] | None = None
    lesson: Mapping[str, Any] | None = None
    locked: bool = False
    calls: int = 0
    question: Question | None = None
    ended: bool = False
    remote: Remote = field(default_factory=Remote)

    def to_json(self) -> bytes:
        """Return the record as a store keeps it."""
        return orjson.dumps(self)

    @property
    def takes(self) -> str:
        """The round that takes answers; empty if none does."""
        return self.question.takes if self.question is not None else ""

    @property
    def step(self) -> tuple[str, int] | None:
        """The lesson's name and the step that the class is at; None without a lesson."""
        return None if self.lesson is None else (self.lesson["name"], self.lesson["step"])

    def over(self, until: float) -> "Record":
        """Return what is left of an ended room."""
        return Record(life=self.life, secret=self.secret, until=until, ended=True)


def read_record(document: bytes) -> Record:
    """Return the record that `to_json` wrote."""
    fields = orjson.loads(document)
    question = fields.pop("question")
    record = Record(**{**fields, "remote": remote.read(fields.get("remote", {}))})
    if question is None:
        return record
    question["answers"], question["x"] = tuple(question["answers"]), tuple(question["x"])
    return replace(record, question=Question(**question))
