import { main } from "../../cli/main.ts";

/** Output of a run of the command line. */
export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs `mnemo` in this process, its output kept. */
export async function mnemo(
  args: readonly string[],
  o: { readonly env?: Readonly<Record<string, string>>; readonly isTTY?: boolean } = {},
): Promise<Outcome> {
  let out = "",
    err = "";
  const code = await main(args, {
    stdout: {
      write: t => {
        out += t;
      },
    },
    stderr: {
      write: t => {
        err += t;
      },
      isTTY: o.isTTY,
    },
    env: o.env ?? {},
  });
  return { code, out, err };
}
