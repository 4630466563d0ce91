/** Contents of a memory from a file in the form of Verilog's `$readmemh`. */

/** More words than any memory of a device has: a wrong `@address` ends here, and not in the computer's memory. */
const MOST = 2 ** 24;

/**
 * The words of a text in the form of `$readmemh` (IEEE 1364-2005 §17.2.9), from address 0, for the `init` of a memory:
 * `ram(uint(32), { depth: 1024, collision: "old", init: hexWords(readFileSync("boot.hex", "utf8")) })`. Words stand
 * between blanks or comments, `_` may divide their digits, `@1f0` goes on at that address. Words that are left out
 * are 0. `file` names the text in errors.
 * @throws Error that names the file, the line and what no word can be: unknown digits (`x`, `z`) too
 */
export function hexWords(text: string, file = "the text"): bigint[] {
  const words: (bigint | undefined)[] = [];
  let at = 0;
  for (const { token, line } of tokens(text, file)) {
    const address = token.startsWith("@"),
      digits = (address ? token.slice(1) : token).replaceAll("_", "");
    if (!/^[0-9a-f]+$/i.test(digits))
      throw new Error(`${file}, line ${line}: "${token}" is no hexadecimal word. Give digits 0 to 9 and a to f`);
    if (address) at = Number(`0x${digits}`);
    if (at + (address ? 0 : 1) > MOST)
      throw new Error(`${file}, line ${line}: address ${at} lies beyond ${MOST} words. Give a lower @address`);
    if (!address) words[at++] = BigInt(`0x${digits}`);
  }
  return Array.from(words, w => w ?? 0n);
}

/** What stands between blanks and comments, with its line. */
function* tokens(text: string, file: string): Generator<{ readonly token: string; readonly line: number }> {
  let line = 1;
  for (const m of text.matchAll(/\n|\/\/[^\n]*|\/\*[\s\S]*?(\*\/|$)|(?:(?!\/[/*])\S)+/g)) {
    const [piece, end] = m;
    if (piece.startsWith("/*")) {
      if (end !== "*/") throw new Error(`${file}, line ${line}: a comment /* has no end. Write */ behind it`);
      line += piece.split("\n").length - 1;
    } else if (piece === "\n") line++;
    else if (!piece.startsWith("//")) yield { token: piece, line };
  }
}
