/**
 * The remote of a room: the teacher's phone. A document of its own, without gradio (visualiser/server/http/remote_document.py). It
 * exchanges the ticket behind the # for the right to steer, sends commands, and shows what the teacher's page tells.
 */

import { element } from "../dom/dom.js";
import { filled } from "../words/message_format.js";
import { written as paragraphs } from "../lesson/markdown.js";
import { readCode } from "../room/code_field.js";
import { Line, Refused } from "../room/line.js";
import { Listening } from "../room/listening.js";
import { random } from "../room/memory.js";
import { typeset } from "../words/symbols.js";
import { keep, recall } from "../link/tab_store.js";

/**
 * @typedef {import("../lead/message.js").RemoteMessage} RemoteMessage
 * @typedef {import("../lead/message.js").Command} Command
 * @typedef {{token: string, code: string, right: string}} Kept what this tab keeps over a reload
 */

/** The buttons, in their order on the phone. @type {Command[]} */
const COMMANDS = ["back", "next", "ask", "close", "again", "reveal", "over", "blank"];
/** What is said of each phase. */
const PHASES = { open: "open", closed: "closed", discuss: "discuss", reveal: "revealed" };
const NAME = "headlight-remote";
/** Milliseconds until a ticket that did not arrive is sent again, and until a command that was not done is named. */
const [AGAIN, LATE] = [2000, 6000];

const lang = document.documentElement.lang;
/** @type {Record<string, string>} */
const texts = JSON.parse(document.getElementById("remote-texts")?.textContent ?? "{}");

/** @param {string} key @param {import("../words/message_format.js").Fields} [fields] */
const text = (key, fields = {}) => filled(texts[`remote.${key}`] ?? key, lang, fields);

/** Return a text in this page's language, else in the one that it has. @param {Partial<Record<string, string>> | null | undefined} versions */
const spoken = (versions) => versions?.[lang] ?? Object.values(versions ?? {}).find(Boolean) ?? "";

class RemotePage {
  /** @type {RemoteMessage | null} */
  message = null;
  /** The number of the command that was pressed last, and the timer that names it if it is not done. */
  #sent = 0;
  #late = 0;
  /** @type {Listening | null} */
  #listening = null;
  /** @type {Map<Command, HTMLButtonElement>} */
  buttons = new Map();

  /** @param {string} code */
  constructor(code) {
    this.code = code;
    this.state = element("p", { id: "remote-state", role: "status" });
    this.here = element("span", { id: "remote-here" });
    this.lesson = element("h1", { id: "remote-lesson" });
    this.note = element("div", { id: "remote-note" });
    this.question = element("p", { id: "remote-question" });
    this.answered = element("p", { id: "remote-answered", role: "status" });
    this.status = element("p", { id: "remote-said", role: "status" });
    for (const name of COMMANDS) {
      const onclick = () => void this.#press(name);
      const id = `remote-${name}`;
      this.buttons.set(name, element("button", { type: "button", id, onclick, disabled: true }, text(name)));
    }
    document.body.replaceChildren(
      element("header", {}, element("b", { id: "remote-code" }, code), this.here, this.state),
      element("main", {}, this.lesson, this.question, this.answered, this.status, this.note),
      element("nav", {}, ...this.buttons.values()),
    );
    for (const name of ["offline", "online"]) window.addEventListener(name, () => this.#restand());
    const kept = this.#kept;
    this.line = new Line(
      (path) => new URL(`gradio_api/headlight/${path}`, document.baseURI),
      () => lang,
      kept?.token ?? random(),
      kept?.right,
    );
    this.line.code = code;
  }

  /** What this tab keeps of this room. @returns {Kept | null} */
  get #kept() {
    try {
      const found = JSON.parse(recall(NAME) ?? "null");
      return found?.code === this.code ? found : null;
    } catch {
      return null; // written by another version
    }
  }

  /** Begin: with a ticket, or as this tab has begun before. @param {string} ticket */
  async begin(ticket) {
    this.#stand("begins");
    if (ticket && !(await this.#exchange(ticket))) return;
    if (!this.line.secret) {
      this.#end("none");
      return;
    }
    this.#listening = new Listening(
      this.line,
      {
        there: () => this.#restand(),
        told: (message) => this.#show(/** @type {RemoteMessage} */ (/** @type {unknown} */ (message))),
        over: () => this.#end("over"),
        lost: (problem) => this.#lost(problem),
      },
      false,
    );
  }

  /** @param {string} ticket @returns {Promise<boolean>} false if the room refuses it */
  async #exchange(ticket) {
    const right = random();
    for (;;) {
      try {
        await this.line.post("exchange", { ticket, right });
        this.line.secret = right;
        keep(NAME, JSON.stringify({ token: this.line.token, code: this.code, right }));
        return true;
      } catch (problem) {
        if (problem instanceof Refused && !problem.retry) {
          this.#end("refused", problem.message);
          return false;
        }
        this.#stand("offline");
        await new Promise((resolve) => setTimeout(resolve, AGAIN)); // the same right: a lost answer does no harm
      }
    }
  }

  /** @param {unknown} problem */
  async #lost(problem) {
    if (problem instanceof Refused && problem.status === 403) this.#end("taken");
    else this.#stand("offline");
    return false;
  }

  /** @param {RemoteMessage} message */
  #show(message) {
    this.message = message;
    const { count, follow, question, answered, shown } = message;
    this.#restand();
    this.here.textContent = text("follow", { follow, count });
    const { lesson, note, said } = shown ?? { lesson: null, note: null, said: "" };
    const at = lesson && lesson.step <= lesson.steps ? ` ${lesson.step}/${lesson.steps}` : ""; // after the last: what we saw
    this.lesson.replaceChildren(...typeset(lesson ? spoken(lesson.title) : text("no_lesson")), at);
    this.note.replaceChildren(...paragraphs(spoken(note)));
    this.status.replaceChildren(...typeset(said));
    this.question.replaceChildren(...(question ? typeset(question.text) : []));
    const n = question ? (answered[question.round - 1] ?? 0) : 0;
    this.answered.textContent = question ? `${text(PHASES[question.phase])} ${text("answered", { n, count })}` : "";
    this.answered.dataset.count = String(n);
    document.body.dataset.phase = question?.phase ?? "";
    document.body.dataset.step = String(lesson?.step ?? "");
    if ((shown?.done ?? 0) >= this.#sent) this.#settle();
    this.#fit();
  }

  #settle() {
    clearTimeout(this.#late);
    this.#sent = 0;
  }

  #fit() {
    const { can = [], blank = false } = this.message?.shown ?? {};
    for (const [name, button] of this.buttons) button.disabled = this.#sent !== 0 || !can.includes(name);
    this.buttons.get("blank")?.setAttribute("aria-pressed", String(blank));
  }

  /** @param {Command} name */
  async #press(name) {
    this.#sent = Infinity; // until its number is known
    this.#fit();
    this.#late = setTimeout(() => this.#undone(), LATE);
    try {
      const answer = await this.line.post("command", { id: random(), do: name });
      const { number } = await answer.json();
      if (this.#sent) this.#sent = (this.message?.shown?.done ?? 0) >= number ? 0 : number;
      if (!this.#sent) this.#settle();
    } catch (problem) {
      this.#settle();
      await this.#lost(problem);
    }
    this.#fit();
  }

  /** The teacher's page does not answer: it does an old command no more. */
  #undone() {
    this.#settle();
    this.status.textContent = text("undone");
    this.#fit();
  }

  /** Say how it stands, as far as this phone knows. */
  #restand() {
    if (!document.body.contains(this.state)) return; // nothing follows
    if (!navigator.onLine) this.#stand("offline");
    else if (this.message) this.#stand(this.message.shown ? "steers" : "waits");
  }

  /** @param {"begins" | "steers" | "waits" | "offline"} state */
  #stand(state) {
    document.body.dataset.state = state;
    this.state.textContent = state === "steers" ? "" : text(state);
  }

  /** Nothing follows. @param {"over" | "refused" | "taken" | "none"} state @param {string} [sentence] */
  #end(state, sentence = text(state === "over" ? "ended" : state)) {
    this.#listening?.end();
    this.#settle();
    keep(NAME, null);
    document.body.dataset.state = state;
    document.body.replaceChildren(element("p", { id: "remote-state", role: "alert" }, sentence));
  }
}

const written = new URLSearchParams(location.search).get("room") ?? "";
const ticket = location.hash.slice(1);
// neither the history nor a copied address keeps it
if (ticket) history.replaceState(history.state, "", location.pathname + location.search);
void new RemotePage(readCode(written) ?? "").begin(ticket);
