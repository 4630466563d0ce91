/** A campaign's report as text: for the terminal, and as Markdown for docs/campaigns. */
import { table } from "../../designs/shared/command-line/index.ts";
import { shortState } from "./identity.ts";
import type { Report, Spread, WorkReport } from "./merge.ts";
import { duration } from "./progress.ts";
import { type Verdict, verdicts } from "./result.ts";

const says: Readonly<Record<Verdict, string>> = {
  passed: "passed",
  failed: "found something",
  limit: "over the time limit",
  crashed: "crashed",
};
/** `38 passed, 2 found something`; of what there is. */
export const verdictLine = (v: Readonly<Record<Verdict, number>>): string =>
  verdicts
    .filter(k => v[k] > 0)
    .map(k => `${v[k]} ${says[k]}`)
    .join(", ") || "none";

const large = (n: number): string => n.toLocaleString("en-US", { maximumFractionDigits: 3 });
/** A work's row of the table that the report and the page have. @param number how each writes numbers */
export const workRow = (w: WorkReport, number: (n: number) => string): readonly string[] => [
  w.kind,
  String(w.seed),
  `${number(w.done)} of ${number(w.pieces)}`,
  `${number(w.count)} of ${number(w.of)}`,
  verdictLine(w.verdicts),
  number(Math.round(w.seconds * 10) / 10),
];
export const workHeads = ["work", "seed", "pieces", "count", "verdicts", "seconds"];
const figureRow = ([name, s]: readonly [string, Spread]): readonly string[] => [
  name,
  ...[s.pieces, s.sum, s.least, s.most].map(large),
];
const figureHeads = ["figure", "pieces", "sum", "least", "most"];

/** The lines of a report that stand at its head. */
const headOf = (r: Report): string =>
  `${r.name}, campaign ${r.id}, commit ${shortState(r.state)}: ${r.done} of ${r.pieces} pieces, ${verdictLine(r.verdicts)}, ${duration(r.seconds)} of work`;

/** Findings that the terminal tells; the files have all. */
const mostFindings = 10;

export function reportText(r: Report): string {
  const findings = r.findings
    .slice(0, mostFindings)
    .map(f => `piece ${f.index} (${f.title}): ${f.problems[0] ?? f.verdict}\n  ${f.repeat}`);
  return [
    table(
      workHeads,
      r.works.map(w => workRow(w, large)),
      "lrrrlr",
    ),
    "",
    headOf(r),
    ...findings,
    ...(r.findings.length > mostFindings ? [`and ${r.findings.length - mostFindings} more`] : []),
  ].join("\n");
}

const fence = "```";
const markdownTable = (columns: readonly string[], rows: readonly (readonly string[])[]): string =>
  [columns, columns.map(() => "---"), ...rows]
    .map(r => `| ${r.map(c => c.replaceAll("|", "\\|")).join(" | ")} |`)
    .join("\n");

/** The same bytes for the same results. */
export function reportMarkdown(r: Report): string {
  const parts = [
    `# Campaign ${r.name}`,
    ...(r.about === "" ? [] : [r.about]),
    `${headOf(r)}.${r.again > 0 ? ` ${r.again} pieces were begun more than once.` : ""}`,
    markdownTable(
      workHeads,
      r.works.map(w => workRow(w, large)),
    ),
    ...r.works.flatMap(w =>
      Object.keys(w.figures).length === 0
        ? []
        : [
            `Figures of ${w.kind}, over its pieces:`,
            markdownTable(figureHeads, Object.entries(w.figures).map(figureRow)),
          ],
    ),
    "## Findings",
    ...(r.findings.length === 0 ? ["None."] : []),
    ...r.findings.map(
      f =>
        `### Piece ${f.index}: ${f.title}\n\n${f.problems.map(p => `- ${p}`).join("\n")}\n\n${fence}\n${f.repeat}\n${fence}`,
    ),
  ];
  return `${parts.join("\n\n")}\n`;
}
