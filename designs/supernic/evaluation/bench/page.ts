import type { Figure } from "../../../shared/evaluation/index.ts";
import { besides } from "../figures/index.ts";
import { benchFigures } from "./figures.ts";

const fence = "```",
  letters = { predicted: "P", calibrated: "C", "not modelled": "N" } as const;

const list = (of: readonly string[]): string => of.map(line => `- ${line}`).join("\n");
/** One figure: what the paper says, what was put in, what was found, and what a reader must know. */
function sectionOf({ number, title, standing, paper, given, verdicts, notes }: Figure): string {
  const parts = [
    `### ${number}: ${title} (${letters[standing]})`,
    ...paper.map(({ section, quote }) => `Paper ${section}: ${quote}`),
  ];
  if (given.length > 0) parts.push(list(given.map(g => `${g.what}: ${g.value} (${g.source})`)));
  if (verdicts.length > 0)
    parts.push(
      [
        "| claim | found | |",
        "|---|---|---|",
        ...verdicts.map(v => `| ${v.says} | ${v.found} | ${v.holds ? "holds" : "does not hold"} |`),
      ].join("\n"),
    );
  if (notes.length > 0) parts.push(list(notes));
  return parts.join("\n\n");
}
const rowOf = ({ number, title, standing, verdicts }: Figure): string =>
  `| ${number} | ${title} | ${letters[standing]} | ${verdicts.filter(v => v.holds).length} of ${verdicts.length} |`;

/**
 * docs/supernic/figures.md: the paper's figures as a quick run has them, and all that `mnemo bench supernic` prints,
 * which is the same on every machine. @param figures measured quickly, with this seed
 */
export async function figuresPage(seed: number, figures: readonly Figure[]): Promise<string> {
  const tables: string[] = [];
  for (const f of benchFigures.filter(b => b.counts === "cycles"))
    tables.push(`${fence}\n${(await f.measure(seed)).text}\n${fence}`);
  return `# Figures of SuperNIC

${fence}
npx mnemo figures supernic                    # all of them: out/figures/supernic-figures.html and .json
npx mnemo figures supernic --only 5.12,5.13   # these
npx mnemo figures supernic --quick            # few points and short runs; what the tests do
npx mnemo bench supernic                      # the tables at the end
${fence}

The figures of the paper's evaluation (5.7), each beside what the paper says. A figure is one of these:

- **P, predicted**: cycles of this hardware, or epochs of its own fair shares and software;
- **C, calibrated**: with numbers that were put in, named under the figure;
- **N, not modelled**, with the reason.

The device is measured clock by clock at 512 bits and 250 MHz. What takes seconds is [a model in steps of an epoch](epochs.md), whose loads are [drawn from distributions](workloads.md).
Claims are judged by the figure's own series, and the exit code is 1 when one does not hold. The numbers found are those of a quick run with seed ${seed}.
Written by \`MNEMO_UPDATE=1 npx vitest run test/designs/supernic/evaluation/figures.test.ts\`. Without it, the test compares this page with what it measures.

| figure | title | | claims that hold |
|---|---|---|---|
${figures.map(rowOf).join("\n")}

## The figures

${figures.map(sectionOf).join("\n\n")}

## The rest of the chapter

| what | paper | here |
|---|---|---|
${besides.map(b => `| ${b.what} (${b.section}) | ${b.quote} | ${b.here} |`).join("\n")}

## Tables of the device

Measured on the device's hardware, beside the paper's text and the goals of issue 15.

${tables.join("\n\n")}

- Each alone: every task is a stage of its own, so a packet goes through the scheduler after each, as the paper has PANIC.
- Each pushes on: as PANIC's public code. A task gives the packet to the next one past the scheduler, and asks it only where that has no credit.
  It is not measured: the cycle model of the scheduler tells it, with the device's times. For the three other ways it takes as long as the device.
- PHY and MAC are not modelled.
- Nothing of the area was placed or routed.
`;
}
