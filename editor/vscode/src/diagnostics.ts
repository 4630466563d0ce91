/** What `mnemo emit` says of a file, as problems with places. */

export interface Problem {
  /** The base name of the file, as the message has it; undefined: the file that was asked about. */
  readonly file: string | undefined;
  /** From 1. */
  readonly line: number;
  readonly severity: "error" | "warning";
  /** `HDL003`; undefined for what is no message of the language. */
  readonly code: string | undefined;
  readonly text: string;
  /** The second place of a message. */
  readonly see?: { readonly file: string; readonly line: number };
}

const message =
  /^(?:mnemo: )?(warning: )?(HDL\d+)(?: in \w+)?: (.*?) \((?:([^()]+?):(\d+)|[^()]*?line (\d+))(?:; see ([^()]+?):(\d+))?\)\. (.*)$/;
/** What is no TypeScript, by who reads it: it says the file that it is in, which may be one that is imported. */
const unread = /^mnemo: .*? cannot be loaded: .*?([^/\\\s]+):(\d+):\d+: ERROR: (.*)$/;
const thrown = /^mnemo: .*?: (.*) \(([^()\s]+):(\d+)\)$/;

/** @param output of standard error, a message a line */
export function problemsOf(output: string): readonly Problem[] {
  return output.split("\n").flatMap((line): Problem[] => {
    const told = message.exec(line);
    if (told !== null) {
      const [, warning, code, text = "", file, at, alone, seeFile, seeLine, fix = ""] = told;
      return [
        {
          file,
          line: Number(at ?? alone),
          severity: warning === undefined ? "error" : "warning",
          code,
          text: `${text}. ${fix}`,
          ...(seeFile === undefined ? {} : { see: { file: seeFile, line: Number(seeLine) } }),
        },
      ];
    }
    const [, broken, brokenLine, why = ""] = unread.exec(line) ?? [];
    if (broken !== undefined)
      return [{ file: broken, line: Number(brokenLine), severity: "error", code: undefined, text: why }];
    const own = thrown.exec(line);
    if (own !== null) {
      const [, text = "", file, at] = own;
      return [{ file, line: Number(at), severity: "error", code: undefined, text }];
    }
    // A sentence about the file as a whole.
    if (line.startsWith("mnemo: "))
      return [{ file: undefined, line: 1, severity: "error", code: undefined, text: line.slice("mnemo: ".length) }];
    return [];
  });
}
