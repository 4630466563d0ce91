import { CheckFailed } from "../../designs/shared/command-line/index.ts";

/** What a user's own code throws is the user's, with its place, and no fault of the program. */
export function ofUser<T>(file: string, f: () => T): T {
  try {
    return f();
  } catch (e) {
    if (!(e instanceof Error) || e.name === "HdlError") throw e;
    const at = /([^/\\(\s]+:\d+):\d+\)?$/m.exec(e.stack ?? "")?.[1];
    throw new CheckFailed(`${file}: ${e.message}${at === undefined ? "" : ` (${at})`}`);
  }
}
