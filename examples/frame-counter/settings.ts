import { UsageError } from "../../designs/shared/command-line/index.ts";

/** How a frame counter is built. */
export interface Settings {
  /** Bytes of a beat. */
  readonly beatBytes: number;
}

const widths = [1, 2, 4, 8, 16, 32, 64];

/** Reads `beatBytes=8`. @throws UsageError for another setting, another value, or one given twice */
export function parseSettings(set: readonly string[]): Settings {
  const [first = "beatBytes=8", second] = set,
    [key, value] = first.split("=");
  if (key !== "beatBytes") throw new UsageError(`there is no setting "${key ?? ""}"; the only one is beatBytes`);
  if (second !== undefined)
    throw new UsageError(`one setting is enough, and there are ${set.length}; give beatBytes once`);
  const beatBytes = Number(value);
  if (!widths.includes(beatBytes))
    throw new UsageError(
      `beatBytes = "${value ?? ""}": must be ${widths.slice(0, -1).join(", ")} or ${widths.at(-1) ?? ""}`,
    );
  return { beatBytes };
}
