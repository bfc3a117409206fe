/** The control in whose box the visitor types: what stands there half-written is theirs until they leave it. */

/** @returns {string | null} its name */
export function typedControl() {
  const box = document.activeElement;
  if (!box?.matches("input[type=number], textarea")) return null;
  return box.closest("[id^=control-]")?.id.slice("control-".length) ?? null;
}
