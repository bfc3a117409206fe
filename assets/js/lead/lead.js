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
 * @typedef {import("./modes.js").Message} Message
 * @typedef {import("./modes.js").Wish} Wish
 * @typedef {{name: string, step: number}} Place a step of a lesson
 * @typedef {Partial<Record<number, number | number[]>>} Answers by round
 * @typedef {{question: string, answers: Answers, kept: Answers, life: string}} Given `kept`: what the room of this `life` has
 * @typedef {"computing" | "telling" | "restoring" | "waiting"} Stage of a reveal: the truth is computed, told to the room; it could not be
 *   told, and the page goes back; the server is away
 *
 * @typedef {object} Lead
 * @property {"visitor" | "student" | "teacher"} role
 * @property {string} page that is loaded
 * @property {string | null} screen link on screen; null before the first answer
 * @property {boolean} fresh true until somebody leads this page elsewhere
 * @property {Place | null} lesson the visitor's own
 * @property {boolean} named true until the lesson of the address has been opened
 * @property {Message | null} heard newest message of the room
 * @property {boolean} held true if the room held this page when it was heard last: it does until it is heard again
 * @property {boolean} left true if the student does not follow
 * @property {number | null} calls the teacher's calls that were heard
 * @property {string | null} obeyed link of the room that this page shows, or is on its way to
 * @property {string} spent the room's command for which a page was loaded last
 * @property {boolean} turning true from a load to the arrival
 * @property {boolean} concluding true while the page reveals what was asked
 * @property {Given | null} given the student's answers to the present question
 * @property {string} folded the card that the visitor has folded
 * @property {boolean} silent true while the room does not answer
 * @property {{id: string, stage: Stage, again: boolean} | null} reveal under way on the teacher's page; `again`: it is to be tried again
 * @property {string} reminded the vote of which the teacher was reminded: one more press ends it
 *
 * What outlives the page, in the tab's memory.
 * @typedef {Pick<Lead, "held" | "left" | "calls" | "spent" | "turning" | "given">} Kept
 *
 * @typedef {{type: "wish", wish: Wish, place?: Place | null}} Wished what the visitor wants
 * @typedef {{type: "enter", role: "student" | "teacher", kept: Kept, how: How, lesson: Place | null}} Entered this page takes part in a room
 * @typedef {"led" | "visitor"} How a page was loaded: by the room or a lesson, or by its visitor (reload, back, an address)
 * @typedef {Wished | Entered | {type: "back"} | {type: "screen", link: string} | {type: "message", message: Message}
 *   | {type: "follow"} | {type: "renewed"} | {type: "unlesson"} | {type: "over"} | {type: "concluding", on: boolean} | {type: "fold", on: boolean}
 *   | {type: "answer", answer: number | number[]} | {type: "kept", question: string, round: number, answer: number | number[]}
 *   | {type: "refused", question: string, round: number, counted: number | number[] | null}
 *   | {type: "silent"} | {type: "answering"} | {type: "reveal"} | {type: "computed", id: string} | {type: "uncomputed", id: string, final: boolean}
 *   | {type: "restored"} | {type: "told", id: string} | {type: "untold", id: string, final: boolean} | {type: "press", by: 1 | -1}} Event
 *
 * @typedef {{do: "show", link: string} | {do: "load", link: string} | {do: "play", loads: boolean} | {do: "unplay"} | {do: "aside"} | {do: "say", key: string}
 *   | {do: "answer", question: string, round: number, answer: number | number[]} | {do: "conclude", question: string}
 *   | {do: "compute", id: string} | {do: "tell", id: string} | {do: "close", id: string} | {do: "restore"} | {do: "step", by: 1 | -1} | {do: "remind"}} Act
 * @typedef {[Lead, Act[]]} Next
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
  message: told,
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
function told(lead, { message }) {
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
