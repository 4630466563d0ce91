import type { EmittedBox, EmittedFile, Ports } from "../../hdl-dsl/index.ts";
import { BuildError, type Design, designOf, type Dut, unbroken } from "../../sim/index.ts";

/**
 * The design with a fault planted in its Verilog: the text `from` becomes `to` in the first file that has it,
 * everywhere in it. A text that the emitted lines break is looked for with each statement on one line.
 * @throws when no file has the text: a fault that was not planted proves nothing.
 */
export function plant<P extends Ports>(dut: Dut<P>, from: string | RegExp, to: string): Design<P> {
  const design = designOf(dut);
  // Stand-ins of black boxes come last: they are text as well.
  const boxes = design.emitted.boxes ?? [],
    texts = [...design.emitted.files, ...boxes.map(b => b.standIn)];
  const has = (text: string): boolean => (typeof from === "string" ? text.includes(from) : from.test(text));
  const asItStands = texts.findIndex(f => has(f.text)),
    at = asItStands < 0 ? texts.findIndex(f => has(unbroken(f.text))) : asItStands,
    textOf = asItStands < 0 ? unbroken : (text: string): string => text;
  if (at < 0)
    throw new Error(`no file of ${design.emitted.top} has ${String(from)}: plant the fault in text that is there`);
  const files = texts.map((f, i) =>
    i === at
      ? { ...f, text: textOf(f.text).replaceAll(typeof from === "string" ? from : new RegExp(from.source, "g"), to) }
      : f,
  );
  // A fault is found soon or not at all, so the time to build it counts. Only for a whole node does each cycle take so
  // long that its speed counts more. Where the built-in simulator takes what is brief, nothing is compiled.
  const isSmall = files.reduce((n, f) => n + f.text.length, 0) < 500_000,
    brief = isSmall || process.env["MNEMO_BRIEF"] === "builtin";
  return { ...design, emitted: { ...design.emitted, ...split(files, boxes) }, brief, failureWanted: true };
}

/** The design's own files, and the boxes with their stand-ins. */
function split(
  texts: readonly EmittedFile[],
  boxes: readonly EmittedBox[],
): { readonly files: readonly EmittedFile[]; readonly boxes?: readonly EmittedBox[] } {
  const own = texts.length - boxes.length;
  const files = texts.slice(0, own);
  if (boxes.length === 0) return { files };
  return { files, boxes: boxes.map((b, i) => ({ ...b, standIn: texts[own + i] ?? b.standIn })) };
}

/**
 * Waits for a bench on a design with a planted fault to fail.
 * @param why what its message must match, where a bench could fail for several reasons.
 * @throws when it passes, and when it failed because the design could not even be built.
 */
export async function findsFault(run: Promise<unknown>, why?: RegExp): Promise<void> {
  const error = await run.then(
    () => undefined,
    (e: unknown) => e,
  );
  if (error === undefined)
    throw new Error("the bench passes although the fault is there: it does not look at what the fault breaks");
  if (error instanceof BuildError) throw error;
  const message = error instanceof Error ? error.message : "something that is no error was thrown";
  if (why !== undefined && !why.test(message)) throw new Error(`the bench fails for another reason: ${message}`);
}
