/** The lines of text in a box of the diagram: as much as its size holds. Pure. */

/** Height of a line, and what stays free of the box's height and width, in heights of the type. */
export const LINE = 1.12;
const [ABOVE, BESIDE] = [0.16, 0.3];

/**
 * Return the fullest text that fits: name, axes and sizes if there is room, else fewer or shorter lines.
 * @param {{title: string, symbols: string, numbers: string}} box
 * @param {{width: number, height: number}} room in heights of the type
 * @param {(text: string, strong: boolean) => number} measure a text's width in the same unit
 * @returns {{text: string, strong: boolean}[]}
 */
export function boxLines({ title, symbols, numbers }, room, measure) {
  const dense = numbers.replaceAll(" × ", "×");
  const words = title.split(" ");
  const last = words[words.length - 1];
  /** @type {[names: string[], sizes: string[]][]} */
  const ways = [
    [[title], [`${symbols} = ${numbers}`]],
    [[title], [symbols, `= ${numbers}`]],
    [words, [symbols, `= ${dense}`]],
    [[title], [numbers]],
    [[title], [dense]],
    [words, [dense]],
    [[last], [dense]],
    [[`${title} ${dense}`], []],
    [[title], []],
  ];
  const lines = ways.map(([names, sizes]) => [
    ...names.map((text) => ({ text, strong: true })),
    ...sizes.map((text) => ({ text, strong: false })),
  ]);
  const fits = lines.find(
    (way) =>
      way.length * LINE + ABOVE <= room.height &&
      way.every(({ text, strong }) => measure(text, strong) <= room.width - BESIDE),
  );
  return fits ?? [{ text: last, strong: true }];
}
