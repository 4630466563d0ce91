/** Checkpoints in files: a long run begins at its interesting cycle, another day. */
import { readFileSync, writeFileSync } from "node:fs";
import { deserialize, serialize } from "node:v8";
import { SimulationError } from "../errors.ts";
import type { Checkpoint } from "./checkpoint.ts";

const KIND = "mnemosyne checkpoint 1";

/** Keeps a checkpoint in a file. */
export function writeCheckpoint(path: string, c: Checkpoint): void {
  writeFileSync(path, serialize({ kind: KIND, checkpoint: c }));
}

/** A checkpoint out of a file. @throws SimulationError when the file is none */
export function readCheckpoint(path: string): Checkpoint {
  const bytes = readFileSync(path);
  let content: unknown;
  try {
    content = deserialize(bytes);
  } catch {
    content = undefined;
  }
  const { kind, checkpoint } = (content ?? {}) as { readonly kind?: unknown; readonly checkpoint?: Checkpoint };
  if (kind !== KIND || checkpoint === undefined)
    throw new SimulationError(`${path} is no checkpoint; give a file that writeCheckpoint wrote`);
  return checkpoint;
}
