/** What became of a piece: one file, which proves that it is whole. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { canonical } from "./identity.ts";
import { type Open, writeWhole } from "./whole-file.ts";

/**
 * `failed`: it came to its end and found something; `limit`: it took longer than it may; `crashed`: its process died.
 */
export const verdicts = ["passed", "failed", "limit", "crashed"] as const;
export type Verdict = (typeof verdicts)[number];

const resultSchema = z.strictObject({
  /** The campaign's identity. */
  id: z.string(),
  index: z.int().min(0),
  verdict: z.enum(verdicts),
  /** How often it was begun. */
  attempts: z.int().min(1),
  /** By the clock, of the last attempt. */
  seconds: z.number().min(0),
  /** One sentence each. */
  problems: z.array(z.string()),
  figures: z.record(z.string(), z.number()),
  /** The end of what it printed, where it did not pass. */
  printed: z.string(),
});
export type Result = z.output<typeof resultSchema>;

/** A thousand files a folder: a million pieces are a thousand folders. */
export function resultPath(folder: string, index: number): string {
  const digits = String(index).padStart(6, "0");
  return join(folder, "pieces", digits.slice(0, -3), `${digits}.json`);
}

const sumOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);
/** A result and, on a second line, the sum over it. */
export function sealed(result: Result): string {
  const text = canonical(result);
  return `${text}\n${sumOf(text)}\n`;
}
/** The result; undefined when a part is missing or changed, or when it is another campaign's or another piece's. */
export function opened(text: string, id: string, index: number): Result | undefined {
  const [line = "", sum, end] = text.split("\n");
  if (end !== "" || sum !== sumOf(line)) return undefined;
  const read = resultSchema.safeParse(JSON.parse(line));
  return read.success && read.data.id === id && read.data.index === index ? read.data : undefined;
}

export const writeResult = (folder: string, result: Result, open?: Open): void =>
  writeWhole(resultPath(folder, result.index), sealed(result), open);

/** `damaged`: a file is there that is no whole result. */
export function readResult(folder: string, id: string, index: number): Result | "missing" | "damaged" {
  let text: string;
  try {
    text = readFileSync(resultPath(folder, index), "utf8");
  } catch (e) {
    if ((e as NodeJS.ErrnoException).code === "ENOENT") return "missing";
    throw e;
  }
  return opened(text, id, index) ?? "damaged";
}

/** Pieces that have a file, whole or not: listing folders is cheaper than asking for each of a million files. */
export function piecesThere(folder: string): ReadonlySet<number> {
  const top = join(folder, "pieces");
  if (!existsSync(top)) return new Set();
  const files = readdirSync(top).flatMap(f => readdirSync(join(top, f)));
  return new Set(files.flatMap(f => (/^\d{6}\.json$/.test(f) ? [Number(f.slice(0, 6))] : [])));
}
