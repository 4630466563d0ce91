import { describe, expect, it } from "vitest";
import { DeviceScoreboard, matchReasons } from "../../../../../designs/supernic/model/index.ts";
import { refusals } from "../../../../../designs/supernic/wire/index.ts";
import { demoCapture, demoSetup, station } from "../../../../../designs/supernic/workload/index.ts";
import { demo } from "../../support/demo.ts";

const capture = demoCapture();
const portOf = (frame: Uint8Array): number => {
  const mac = Buffer.from(frame.subarray(6, 12)).toString("hex"),
    places = [...demoSetup.stations, ...demoSetup.peers];
  return places.find(s => s.mac.replaceAll(":", "") === mac)?.port ?? demoSetup.uplink;
};

describe("the capture that ships with the project, by the model", () => {
  const board = new DeviceScoreboard(demo());
  const fates = capture.map(f => {
    const entry = board.enter(portOf(f.frame), f.frame, f.damaged);
    // One after the other: what leaves is seen before the next frame comes.
    const way = board.ways(entry);
    for (const exit of way.exits) board.leave(exit.port, exit.bytes);
    if (way.software) board.toSoftware(way.software);
    return way;
  });
  it.each(capture.map((f, i) => [f.title, f.expect, i] as const))("%s", (_title, expected, i) => {
    expect(fates[i]?.steps.join(" > ")).toBe(expected);
  });
  it("shows every refusal and every reason of match and action", () => {
    const refused = fates.flatMap(f => (f.drop?.by === "judge" ? [f.drop.reason] : [])),
      matched = fates.flatMap(f => (f.drop?.by === "match" ? [f.drop.reason] : []));
    expect(new Set(refused)).toEqual(new Set(refusals));
    expect(new Set(matched)).toEqual(new Set(matchReasons));
  });
  it("shows every task of the setup, and what drops in each", () => {
    const took = new Set(fates.flatMap(f => f.passes.flatMap(p => p.took.map(t => `${t.chain}.${t.slot}`))));
    expect(took).toEqual(new Set(["0.0", "0.1", "1.0", "1.1", "2.0", "2.1", "3.0"]));
  });
  it("leaves nothing open", () => {
    expect(board.outstanding).toBe(0);
    expect(board.finish()).toEqual([]);
    expect(station("alice").ip).toBe(0x0a14_000b);
  });
});
