/**
 * Return the parts of a control that is a gradio slider.
 * @param {string} name
 * @returns {{control: HTMLElement, range: HTMLInputElement, box: HTMLInputElement | null} | null} null: no slider
 */
export function sliderOf(name) {
  const control = document.getElementById(`control-${name}`);
  /** @type {HTMLInputElement | null | undefined} */
  const range = control?.querySelector("input[type=range]");
  return control && range ? { control, range, box: control.querySelector("input[type=number]") } : null;
}

/**
 * Listen at the sliders' own elements: gradio reports a move 13 ms later, most of a frame.
 * @param {string[]} names of the controls
 * @param {(name: string, value: number) => void} moved
 */
export function hearSliders(names, moved) {
  for (const name of names) {
    const found = sliderOf(name);
    if (!found) continue;
    const { control, range, box } = found;
    range.addEventListener("input", () => moved(name, Number(range.value)));
    // Half-typed numbers count as values; an empty box does not.
    box?.addEventListener(
      "input",
      () => box.value !== "" && Number.isFinite(Number(box.value)) && moved(name, Number(box.value)),
    );
    // Later: gradio writes the default after its button's handler, and clamps a typed number when the box is left.
    const later = () => setTimeout(() => moved(name, Number(range.value)));
    for (const button of control.querySelectorAll("button")) button.addEventListener("click", later);
    box?.addEventListener("blur", later);
  }
}
