/** The control in whose box the visitor types; the page leaves half-typed values alone. */

/** @returns {string | null} its name */
export function typedControl() {
  const box = document.activeElement;
  if (!box?.matches("input[type=number], textarea")) return null;
  return box.closest("[id^=control-]")?.id.slice("control-".length) ?? null;
}
