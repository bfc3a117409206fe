/**
 * The parts of a control that is one of gradio's sliders.
 * @param {string} name
 * @returns {{control: HTMLElement, range: HTMLInputElement, box: HTMLInputElement | null} | null} null: another kind of control, or none
 */
export function sliderOf(name) {
  const control = document.getElementById(`control-${name}`);
  /** @type {HTMLInputElement | null | undefined} */
  const range = control?.querySelector("input[type=range]");
  return control && range ? { control, range, box: control.querySelector("input[type=number]") } : null;
}

/**
 * Sliders heard at their own elements: gradio tells of a move 13 ms later, which is most of what a frame has.
 * @param {string[]} names of the controls
 * @param {(name: string, value: number) => void} moved
 */
export function hearSliders(names, moved) {
  for (const name of names) {
    const found = sliderOf(name);
    if (!found) continue;
    const { control, range, box } = found;
    range.addEventListener("input", () => moved(name, Number(range.value)));
    // Half-typed numbers are values as well; an empty box is none.
    box?.addEventListener(
      "input",
      () => box.value !== "" && Number.isFinite(Number(box.value)) && moved(name, Number(box.value)),
    );
    // gradio writes the default after its button's own handler; and a typed number is clamped when the box is left.
    const later = () => setTimeout(() => moved(name, Number(range.value)));
    for (const button of control.querySelectorAll("button")) button.addEventListener("click", later);
    box?.addEventListener("blur", later);
  }
}
