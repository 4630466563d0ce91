import { execFile } from "node:child_process";
import { table, type Terminal } from "../../designs/shared/command-line/index.ts";
import {
  growth,
  languageDesigns,
  languageSizes,
  type LanguageSpeed,
  LINEAR,
  measureLanguage,
  nodesPerSecond,
} from "./language.ts";

/** Nodes per second that are wanted at every size. */
const GOAL = 100_000;

/**
 * `control/1000` as a measurement in this process, in JSON: `runLanguageBench` starts a process for it. @throws
 * RangeError on anything else.
 */
export function languageRow(row: string): string {
  const [name = "", size = ""] = row.split("/"),
    design = languageDesigns.find(d => d.name === name);
  if (design === undefined || !/^[1-9]\d{0,7}$/.test(size)) {
    throw new RangeError(
      `--row ${row}: give a design (${languageDesigns.map(d => d.name).join(", ")}) and its size in nodes, as control/1000`,
    );
  }
  return JSON.stringify(measureLanguage(design, Number(size)));
}

/** One row in a process of its own: its first design meets a cold one. */
function inOwnProcess(row: string): Promise<LanguageSpeed> {
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [process.argv[1] ?? "", "bench", "language", "--row", row],
      { encoding: "utf8" },
      (error: Error | null, stdout) => {
        if (error === null) resolve(JSON.parse(stdout) as LanguageSpeed);
        else reject(new Error(`row ${row}: ${error.message}`));
      },
    );
  });
}

/** Summary of the rows: the sizes below the goal, and the growth of the time with the size. */
export function languageVerdict(rows: readonly LanguageSpeed[]): string[] {
  const below = rows
    .filter(s => nodesPerSecond(s) < GOAL)
    .map(s => `${s.design} of ${s.nodes} nodes ${Math.round(nodesPerSecond(s))}`);
  const names = [...new Set(rows.map(s => s.design))];
  const powers = names.map(name => ({ name, power: growth(rows.filter(s => s.design === name)) })),
    not = powers.filter(p => p.power > LINEAR);
  return [
    below.length === 0 ? `${GOAL} nodes/s or better at every size` : `below ${GOAL} nodes/s: ${below.join("; ")}`,
    `time grows with the size to the power of ${powers.map(p => `${p.power.toFixed(2)} (${p.name})`).join(", ")}: ${not.length === 0 ? "linear" : `NOT linear: ${not.map(p => p.name).join(", ")}`}`,
  ];
}

/** `mnemo bench language`: a row of each design and size, then what they say. */
export async function runLanguageBench(terminal: Terminal): Promise<void> {
  const rows: LanguageSpeed[] = [];
  for (const { name } of languageDesigns) {
    for (const size of languageSizes) {
      terminal.progress(`${name}, ${size} nodes`);
      rows.push(await inOwnProcess(`${name}/${size}`));
    }
  }
  terminal.endProgress();
  const ms = (n: number): string => n.toFixed(n < 100 ? 1 : 0);
  terminal.print(
    table(
      ["design", "nodes", "lines", "cold ms", "runs", "elaborate ms", "emit ms", "nodes/s"],
      rows.map(s => [
        s.design,
        String(s.nodes),
        String(s.lines),
        ms(s.coldMs),
        String(s.runs),
        ms(s.elaborationMs),
        ms(s.emissionMs),
        String(Math.round(nodesPerSecond(s))),
      ]),
      "lrrrrrrr",
    ),
  );
  terminal.print(
    [
      "",
      "Times are of the processor, of all threads (collector and compiler included), for one design. Each row has a process of its own. cold: the first design there,",
      "elaborated and emitted by code that nothing has run before. Then more of the same size: unmeasured until a second has gone by, the cold one counted; then",
      "measured, at least one, for a second. elaborate (checks included), emit and nodes/s are the mean of these.",
      "",
      ...languageVerdict(rows),
    ].join("\n"),
  );
}
