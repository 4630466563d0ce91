/** Words for messages. */
export const shown = (words: readonly bigint[]): string => words.map(w => `0x${w.toString(16)}`).join(" ");
