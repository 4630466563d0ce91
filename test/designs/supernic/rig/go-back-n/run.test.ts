/** `mnemo run supernic` with Go-Back-N in front of a node: what leaves is judged, timers' frames too. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { gbnTypes } from "../../../../../designs/shared/go-back-n/wire/index.ts";
import { writePcap } from "../../../../../sim/index.ts";
import { parsedGbn } from "../../rtl/tasks/go-back-n/support/frames.ts";
import { played } from "../run/played.ts";
import { capture } from "./support/capture.ts";
import { nodePort, sets, setupText } from "./support/sessions-device.ts";

it("plays a capture of a session; requests go on, replies are sent again by NACK and by the timer, no difference", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mnemo-sessions-"));
  try {
    const file = join(folder, "sessions.pcap"),
      setup = join(folder, "sessions.setup.json");
    writeFileSync(file, writePcap(capture));
    writeFileSync(setup, setupText);
    const run = await played(
      [file],
      ["--setup", setup, ...Object.entries(sets).flatMap(([k, v]) => ["--set", `${k}=${v}`])],
      { out: "left.pcapng" },
    );
    expect([run.code, run.err, run.stats.differences]).toEqual([0, "", []]);
    const left = (port: number) => run.left.filter(f => f.interface === port && f.bytes[12] === 8),
      made = left(0).map(f => parsedGbn(f.bytes).gbn),
      numbers = (type: number): number[] => made.filter(g => g.type === type && g.srcSlot !== 0).map(g => g.sequence);
    expect(left(nodePort)).toHaveLength(3);
    expect(made.filter(g => g.srcSlot === 0)).toHaveLength(2);
    const data = numbers(gbnTypes.data);
    expect(data.slice(0, 3)).toEqual([1, 2, 3]);
    // Both by the timer, and the last one once more by the NACK.
    expect(data.filter(n => n === 2).length).toBeGreaterThan(1);
    expect(data.filter(n => n === 3).length).toBe(data.filter(n => n === 2).length + 1);
    expect(numbers(gbnTypes.nack)).toEqual([1]);
    expect(numbers(gbnTypes.ack).at(-1)).toBe(3);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
