/** The teacher's reveal: nothing is shown here that the class does not see, and it is said again when the server is back. Pure. */

import { secret } from "./modes.js";

/**
 * @typedef {import("./state.js").Lead} Lead
 * @typedef {import("./state.js").Next} Next
 */

/** True while the truth is on its way: the figures of this page are covered. @param {Pick<Lead, "reveal">} lead */
export const veiled = ({ reveal }) => reveal !== null && reveal.stage !== "waiting";

/** Begin a reveal, or wait for the server; pressed once more it is tried at once. @param {Lead} lead @returns {Next} */
export function pressed(lead) {
  const question = lead.role === "teacher" ? secret(lead.heard) : null;
  if (!question || veiled(lead)) return [lead, []];
  const { id } = question;
  const waits = lead.reveal?.id === id;
  if (!lead.silent || waits) {
    return [{ ...lead, reveal: { id, stage: "computing", again: false } }, [{ do: "compute", id }]];
  }
  return [{ ...lead, reveal: { id, stage: "waiting", again: true } }, [{ do: "say", key: "room.reveal_waits" }]];
}

/** The server answers, or has said something new: a reveal that waits goes on; one whose question is gone ends. @param {Lead} lead @returns {Next} */
export function revealing(lead) {
  const { reveal, silent, heard } = lead;
  if (!reveal) return [lead, []];
  const { question = null } = heard ?? {};
  if (question?.id !== reveal.id) return unsaid(lead, reveal.id, true);
  if (question.phase === "reveal") return [{ ...lead, reveal: null }, []];
  if (reveal.stage !== "waiting" || silent) return [lead, []];
  return pressed({ ...lead, reveal: null });
}

/** The room has the truth. @param {Lead} lead @param {string} id @returns {Lead} */
export const revealed = (lead, id) => (lead.reveal?.id === id ? { ...lead, reveal: null } : lead);

/**
 * The room does not have the truth: the page goes back to the question's state before anybody sees it. It is said again unless that
 * was final.
 * @param {Lead} lead @param {string} id @param {boolean} final @returns {Next}
 */
export function unsaid(lead, id, final) {
  const { reveal } = lead;
  if (reveal?.id !== id) return [lead, []];
  const silent = lead.silent || !final;
  if (reveal.stage === "waiting") return [{ ...lead, reveal: final ? null : reveal }, []];
  if (reveal.stage === "restoring") return [{ ...lead, reveal: { ...reveal, again: !final } }, []];
  return [{ ...lead, silent, reveal: { id, stage: "restoring", again: !final } }, [{ do: "restore" }]];
}

/** The page shows the question's state again. @param {Lead} lead @returns {Next} */
export function restored(lead) {
  const { reveal } = lead;
  if (reveal?.stage !== "restoring") return [lead, []];
  if (!reveal.again) return [{ ...lead, reveal: null }, []];
  return revealing({ ...lead, reveal: { ...reveal, stage: "waiting" } });
}

/** The server does not answer. @param {Lead} lead @returns {Lead} */
export const silenced = (lead) => ({ ...lead, silent: true });
