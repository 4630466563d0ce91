/** The designs' declarations for boards. This file is loaded once, and only for verbs that need boards. */
import { type BoardHook, UsageError } from "../../designs/shared/command-line/index.ts";
import { designs } from "../designs.ts";

const hooks = new Map<string, BoardHook>();
for (const d of designs) {
  const hook = await d.boards?.();
  if (hook !== undefined) hooks.set(d.name, hook);
}

/** A way that a design can be on a board. @throws UsageError when the board's design has it not */
export function boardHook<K extends keyof BoardHook>(
  board: { readonly name: string; readonly design: string },
  kind: K,
): NonNullable<BoardHook[K]> {
  const found = hooks.get(board.design)?.[kind];
  if (found === undefined) throw new UsageError(`the design ${board.design} cannot be on the board ${board.name}`);
  return found;
}
