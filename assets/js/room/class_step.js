/** The step of the class's lesson, beside a student's page. */

export class ClassStep {
  /** True if its text is the teacher's alone. */
  wordless = false;
  /** The step on screen, as text; "" if nobody knows which. */
  #step = "null";
  #page;
  #bar;
  #came;

  /**
   * @param {import("../page/live_page.js").LivePage} page @param {import("./bar.js").Bar} bar
   * @param {() => void} came called when a step stands there, with its text or without
   */
  constructor(page, bar, came) {
    this.#page = page;
    this.#bar = bar;
    this.#came = came;
  }

  /** Return what plays lessons; null if it cannot be loaded, which is said. */
  async lessons() {
    try {
      return await this.#page.presence.later.lessons();
    } catch {
      this.#bar.say(this.#page.text("live.lost"), true);
      return null;
    }
  }

  /** Show the step that the class is at. @param {import("../lead/state.js").Lead} lead @param {boolean} follows true if the page follows the class */
  tell({ heard, left, turning }, follows) {
    if (left) this.#step = ""; // the visitor may read another lesson meanwhile
    if (!follows || turning) return;
    const lesson = heard?.lesson ?? null;
    const step = JSON.stringify(lesson);
    if (step === this.#step) return;
    this.#step = step;
    void this.#follow(lesson);
  }

  /** @param {import("../lead/message.js").Lesson | null} lesson */
  async #follow(lesson) {
    const followed = await (await this.lessons())?.follow(lesson).catch(() => false);
    if (!this.#page.leader.lead.heard || JSON.stringify(lesson) !== this.#step) return; // the room is over, or another step has come
    this.wordless = followed === false;
    this.#came();
  }

  /** Show none any more. */
  end() {
    this.#step = "null";
    void this.lessons().then((lessons) => lessons?.follow(null));
  }
}
