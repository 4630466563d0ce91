import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { demoCapture } from "../../../../../designs/supernic/workload/index.ts";
import { readPcap, writePcap } from "../../../../../sim/index.ts";

const path = new URL("../../../../../captures/supernic.pcap", import.meta.url).pathname;

it("the file has the script's frames, the damaged ones marked by their check sequence", () => {
  const frames = readPcap(readFileSync(path), path);
  expect(frames.map(f => [Buffer.from(f.bytes).toString("hex"), f.damaged === true])).toEqual(
    demoCapture().map(f => [Buffer.from(f.frame).toString("hex"), f.damaged]),
  );
  expect(frames.filter(f => f.damaged)).toHaveLength(1);
});
it("a file without check sequences marks none", () => {
  const [frame] = demoCapture();
  expect(readPcap(writePcap([{ timeNs: 0n, bytes: frame!.frame }]), "plain")).toEqual([
    { timeNs: 0n, bytes: frame!.frame, originalLength: frame!.frame.length },
  ]);
});
