/** The lines of text in a box of the diagram: as much as its size holds. Pure. */

/** Height of a line, and what stays free of the box's height and width, in heights of the type. */
export const LINE = 1.12;
const [ABOVE, BESIDE] = [0.2, 0.3];

/** Where a title breaks: at spaces, and behind the letters of a name such as RMSNorm. */
const WORDS = / |(?<=[A-Z])(?=[A-Z][a-z])/;

/**
 * Return the fullest text that fits: name, factor or setting, weights, axes and sizes if there is room, else fewer or shorter lines. The
 * shape of the weights stands before the sign, that of the output behind it.
 * @param {Omit<import("./arithmetic.js").Box, "step">} box
 * @param {{width: number, height: number}} room in heights of the type
 * @param {(text: string, strong: boolean) => number} measure a text's width in the same unit
 * @returns {{text: string, strong: boolean}[]}
 */
export function boxLines({ title, sign, symbols, numbers, weights, sizes, factor = "", setting = "" }, room, measure) {
  const after = sign && `${sign} `;
  const plain = after + numbers.replaceAll(" × ", "×");
  const dense = weights ? `${sizes.replaceAll(" × ", "×")} ${plain}` : plain;
  const words = title.split(WORDS);
  const last = words[words.length - 1];
  /** @type {[names: string[], sizes: string[]][]} */
  const full = [
    [[title], [`${weights} = ${sizes}`, `${after}${symbols} = ${numbers}`]],
    [[title], [`${weights} ${after}${symbols}`, dense]],
    [[title], [`${sizes} ${after}${numbers}`]],
  ];
  /** @type {[names: string[], sizes: string[]][]} */
  const output = [
    [[title], [`${after}${symbols} = ${numbers}`]],
    [[title], [`${after}${symbols}`, `= ${numbers}`]],
    [words, [`${after}${symbols}`, `= ${numbers.replaceAll(" × ", "×")}`]],
    [[title], [`${after}${numbers}`]],
  ];
  const [made, times] = [factor.split(" = ")[0], `× ${factor.split(" = ").at(-1)}`];
  /** @type {[names: string[], sizes: string[]][]} */
  const multiplied = [
    [[title], [`× ${factor}`, `${after}${symbols} = ${numbers}`]],
    [[`${title} ${times}`], [made, `${after}${symbols} = ${numbers}`]],
    [[`${title} ${times}`], [`${after}${symbols} = ${numbers}`]],
    [[`${title} ${times}`], [plain]],
    [[title], [`${times} ${plain}`]],
  ];
  /** @type {[names: string[], sizes: string[]][]} */
  const set = [
    [[title], [setting, `${after}${symbols} = ${numbers}`]],
    [[`${title}, ${setting}`], [`${after}${symbols} = ${numbers}`]],
    [[title], [`${setting} ${plain}`]],
    [[`${title}, ${setting}`], [plain]],
    [[`${title}, ${setting}`], []],
    [[last], [`${setting} ${plain}`]],
    [[`${last}, ${setting}`], []],
  ];
  /** @type {[names: string[], sizes: string[]][]} */
  const ways = [
    ...(factor ? multiplied : []),
    ...(setting ? set : []),
    ...(weights ? full : output),
    [[title], [dense]],
    [words, [dense]],
    [[last], [dense]],
    ...(weights ? /** @type {typeof full} */ ([[[title], [sizes.replaceAll(" × ", "×"), plain]]]) : []),
    [[title], [plain]],
    [words, [plain]],
    [[last], [plain]],
    [[`${title} ${plain}`], []],
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
