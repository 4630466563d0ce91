import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { CheckFailed, UsageError } from "../../designs/shared/command-line/index.ts";
import { type Board, boardSchema } from "./schema.ts";

/** Where the boards stand as data, from the project's folder. */
export const boardFolder = "constraints/boards";

/** @throws CheckFailed when a file's contents are no board: the sentence says which field */
export function readBoard(text: string, file: string): Board {
  const read = boardSchema.safeParse(JSON.parse(text));
  if (!read.success) throw new CheckFailed(`${file}: ${z.prettifyError(read.error)}`);
  return read.data;
}

/** All boards, by name. @param root the project's folder */
export function allBoards(root: string): readonly Board[] {
  const files = readdirSync(join(root, boardFolder))
    .filter(f => f.endsWith(".json"))
    .sort();
  return files.map(f => readBoard(readFileSync(join(root, boardFolder, f), "utf8"), `${boardFolder}/${f}`));
}

/** @throws UsageError when there is no board of the name */
export function boardNamed(root: string, name: string): Board {
  const boards = allBoards(root),
    found = boards.find(b => b.name === name);
  if (found === undefined)
    throw new UsageError(`there is no board ${name}: choose one of ${boards.map(b => b.name).join(", ")}`);
  return found;
}
