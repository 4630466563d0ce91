import { benchFigures } from "./figures.ts";

const fence = "```";
/** docs/supernic/figures.md: all that `mnemo bench supernic` prints, which is the same on every machine. */
export async function figuresPage(seed: number): Promise<string> {
  const parts: string[] = [];
  for (const f of benchFigures.filter(b => b.counts === "cycles"))
    parts.push(`${fence}\n${(await f.measure(seed)).text}\n${fence}`);
  return `# Figures of SuperNIC

Measured on the device's hardware, clock by clock at 512 bits and 250 MHz, beside the paper's text and the goals of issue 15.
\`npx mnemo bench supernic\` prints the same. \`npx mnemo figures supernic\` draws the paper's figures.
Written by \`MNEMO_UPDATE=1 npx vitest run test/designs/supernic/evaluation\`. Without it, the test compares this page with what it measures.

${parts.join("\n\n")}

- Each alone: every task is a stage of its own, so a packet goes through the scheduler after each, as the paper has PANIC.
- Each pushes on: as PANIC's public code. A task gives the packet to the next one past the scheduler, and asks it only where that has no credit.
  It is not measured: the cycle model of the scheduler tells it, with the device's times. For the three other ways it takes as long as the device.
- PHY and MAC are not modelled.
- Nothing of the area was placed or routed.
`;
}
