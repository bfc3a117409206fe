/**
 * Who leads this page: the one place that decides. A state and an event give the next state and what is to be done. Pure: it
 * knows no document, no clock and no server; leader.js does what it says, and tests/scripts/lead.test.mjs runs random sequences
 * of events through it. docs/decisions/who-leads.md.
 */

import { entry } from "../link/entry.js";
import { arrived, called, follows, obeyed } from "./following.js";
import { bound, gathers, outcome, secret } from "./modes.js";
import { pressed, restored, revealed, revealing, silenced, unsaid } from "./revealing.js";

/**
 * @typedef {import("./message.js").Message} Message
 * @typedef {import("./state.js").Answers} Answers
 * @typedef {import("./state.js").Lead} Lead
 * @typedef {import("./state.js").Kept} Kept
 * @typedef {import("./state.js").Wished} Wished
 * @typedef {import("./state.js").Entered} Entered
 * @typedef {import("./state.js").Event} Event
 * @typedef {import("./state.js").Act} Act
 * @typedef {import("./state.js").Next} Next
 */

/** @type {Readonly<Kept>} */
export const FRESH = Object.freeze({ held: false, left: false, calls: null, spent: "", turning: false, given: null });

/** Return a page that its visitor leads. @param {string} page @returns {Lead} */
export const alone = (page) => ({
  ...{ role: "visitor", page, screen: null, lesson: null, named: false, heard: null, ...FRESH },
  ...{ fresh: true, obeyed: null, concluding: false, folded: "", silent: false, reveal: null, reminded: "" },
});

/** Return what the tab keeps. @param {Lead} lead @returns {Kept} */
export const kept = ({ held, left, calls, spent, turning, given }) => ({ held, left, calls, spent, turning, given });

/** Name a question as it stands: another phase is another card. @param {Message | null} heard */
export function card(heard) {
  const { question = null } = heard ?? {};
  return question ? `${question.id} ${question.phase} ${question.round}` : "";
}

/** What each event does. @type {{[Type in Event["type"]]: (lead: Lead, event: Extract<Event, {type: Type}>) => Next}} */
const HANDLERS = {
  wish: wished,
  enter: entered,
  back: (lead) => obeyed({ ...lead, turning: false, obeyed: null, spent: "" }, []),
  screen: (lead, { link }) => [{ ...lead, screen: link }, []],
  message: hear,
  follow: (lead) => (lead.role === "student" ? called(lead, []) : [lead, []]),
  renewed: (lead) => [{ ...lead, given: null }, []], // the room knows this tab by another token
  unlesson: (lead) => [{ ...lead, lesson: null }, []],
  over: (lead) => [{ ...alone(lead.page), screen: lead.screen, lesson: lead.lesson }, []],
  concluding: (lead, { on }) => obeyed({ ...lead, concluding: on }, []),
  fold: (lead, { on }) => [{ ...lead, folded: on ? card(lead.heard) : "" }, []],
  answer: answered,
  kept: (lead, { question, round, answer }) =>
    lead.given?.question === question
      ? [{ ...lead, given: { ...lead.given, kept: { ...lead.given.kept, [round]: answer } } }, []]
      : [lead, []],
  refused,
  silent: (lead) => [silenced(lead), []],
  answering: (lead) => revealing({ ...lead, silent: false }),
  reveal: pressed,
  computed: (lead, { id }) =>
    lead.reveal?.id === id && lead.reveal.stage === "computing"
      ? [{ ...lead, reveal: { id, stage: "telling", again: false } }, [{ do: "tell", id }]]
      : [lead, []],
  uncomputed: (lead, { id, final }) => unsaid(lead, id, final),
  restored: (lead) => restored(lead),
  told: (lead, { id }) => [revealed(lead, id), []],
  untold: (lead, { id, final }) => unsaid(lead, id, final),
  press: turned,
};

/**
 * Return the state after an event, and what is to be done in this order.
 * @param {Lead} lead @param {Event} event @returns {Next}
 */
export function next(lead, event) {
  const handler = /** @type {(lead: Lead, event: Event) => Next} */ (entry(HANDLERS, event.type));
  return handler(lead, event);
}

/** @param {Lead} lead @param {Entered} event @returns {Next} */
function entered({ page, screen, lesson: read }, { role, kept: known, how, lesson }) {
  const lead = { ...alone(page), ...known, screen, role, lesson: lesson ?? read, named: lesson !== null };
  return arrived(lead, how, lesson !== null);
}

/** @param {Lead} lead @param {Wished} event @returns {Next} */
function wished(lead, { wish, place = null }) {
  const what = outcome(lead, wish, place);
  if (what === "refused") {
    const student = lead.role === "student";
    const vote = secret(lead.heard) !== null && !(student && lead.heard?.locked);
    const key = !student
      ? "room.held_asking"
      : vote
        ? "room.held_vote"
        : bound(lead)
          ? "room.held"
          : "room.held_reveal";
    return [lead, wish === "lesson" && !student ? [{ do: "remind" }] : [{ do: "say", key }]];
  }
  const led = { ...lead, fresh: false, reminded: "", ...(wish === "lesson" ? { lesson: place, named: false } : {}) };
  /** @type {Act[]} */
  const beside = wish === "turn" && led.lesson ? [{ do: "aside" }] : []; // the lesson waits: its step leads no page back
  if (what === "free") return [led, beside];
  return [{ ...led, left: true, obeyed: null }, [...beside, { do: "say", key: "room.left" }]];
}

/** @param {Lead} lead @param {Extract<Event, {type: "message"}>} event @returns {Next} */
function hear(lead, { message }) {
  if (lead.role === "visitor" || (lead.heard && message.revision <= lead.heard.revision)) return [lead, []];
  const former = lead.heard;
  const again = card(former) !== card(message);
  const held = lead.role === "student" && gathers(message);
  const { reveal } = lead;
  const lost = former !== null && former.life !== message.life; // the votes come back first: the teacher reveals again
  const known = {
    ...lead,
    reveal: lost && reveal?.stage === "waiting" ? null : reveal,
    heard: message,
    held,
    silent: false,
    ...(again ? { folded: "", reminded: "" } : {}),
  };
  if (lead.role === "teacher") return revealing(known);
  return follows(known, former);
}

/** @param {Lead} lead @param {{answer: number | number[]}} event @returns {Next} */
function answered(lead, { answer }) {
  const question = secret(lead.heard);
  if (lead.role !== "student" || !question || question.phase === "closed") return [lead, []];
  const { id, round } = question;
  /** @type {{answers: Answers, kept: Answers}} */
  const former = lead.given?.question === id ? lead.given : { answers: {}, kept: {} };
  const { [round]: _, ...kept } = former.kept; // until this one is in, nobody knows which of them counts
  const given = { question: id, answers: { ...former.answers, [round]: answer }, kept, life: lead.heard?.life ?? "" };
  return [{ ...lead, given }, [{ do: "answer", question: id, round, answer }]];
}

/**
 * The room does not take this answer: what it has of this tab, if anything, is the answer.
 * @param {Lead} lead @param {Extract<Event, {type: "refused"}>} event @returns {Next}
 */
function refused(lead, { question, round, counted }) {
  if (lead.given?.question !== question) return [lead, []];
  const { [round]: _, ...answers } = lead.given.answers;
  const { [round]: __, ...others } = lead.given.kept;
  const has = counted === null ? {} : { [round]: counted };
  return [{ ...lead, given: { ...lead.given, answers: { ...answers, ...has }, kept: { ...others, ...has } } }, []];
}

/**
 * The teacher's keys and buttons of a lesson: in a vote the second press of *next* closes it, or reveals.
 * @param {Lead} lead @param {{by: 1 | -1}} event @returns {Next}
 */
function turned(lead, { by }) {
  const question = lead.role === "teacher" ? secret(lead.heard) : null;
  if (!question) return [lead, [{ do: "step", by }]];
  const now = card(lead.heard);
  if (by === 1 && lead.reminded === now) {
    const calm = { ...lead, reminded: "" };
    return question.phase === "open" ? [calm, [{ do: "close", id: question.id }]] : pressed(calm);
  }
  return [{ ...lead, reminded: by === 1 ? now : "" }, [{ do: "remind" }]];
}
