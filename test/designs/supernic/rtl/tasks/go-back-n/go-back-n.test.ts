/** Go-Back-N in front of nodes: sessions over lines that lose, double and reorder. */
import { describe, expect, it } from "vitest";
import { bernoulli, bursts, runBench } from "../../../../../../sim/index.ts";
import { type B, gbnDut } from "./support/rig.ts";
import {
  ageRun,
  beginAnewRun,
  checksRun,
  closedRun,
  crowdedRun,
  edge,
  edgeRun,
  full,
  fullRun,
  latencyRun,
  memoryErrorRun,
  raceRun,
  reorderedRun,
  resetRun,
  silentRun,
  small,
  windowRun,
  wrapRun,
} from "./support/runs.ts";
import { World } from "./support/world.ts";

const options = { seed: 3, wave: false, limitCycles: 3_000_000, hangCycles: 60_000 } as const;
const run = (name: string, of: (b: B) => Promise<unknown>, more = {}) =>
  runBench(`go-back-n ${name}`, gbnDut({ ...small, ...more }), options, of);

describe("sessions end at the sNIC", () => {
  it("over right lines nothing is sent twice", () =>
    runBench("go-back-n plain", gbnDut(small), options, async b => {
      const w = new World(b, { clients: 4, requests: 30, way: 1 });
      await w.begin();
      await w.play();
      expect(w.seen).toMatchObject({ requests: 120, replies: 120, resent: 0 });
      await w.end(small.sessions);
    }));
  it("over lines that lose, double and reorder, each request and each reply comes once and in order", () =>
    runBench("go-back-n lossy", gbnDut(small), { ...options, seed: 7 }, async b => {
      let n = 0;
      const w = new World(b, {
        ...{ clients: 5, requests: 25, lost: 0.1, doubled: 0.1, way: 300 },
        pause: () => (n++ % 2 === 0 ? bernoulli(0.3, n) : bursts({ go: 30, pause: 20 }, n)),
      });
      await w.begin();
      await w.play();
      expect(w.seen).toMatchObject({ requests: 125, replies: 125 });
      expect(w.rig.counts.reads).toBeGreaterThan(0);
      await w.end(small.sessions);
    }));
  it("numbers go round; an ACK that is lost there is no loss", () =>
    run("wrap", wrapRun, { first: 2 ** 32 - 20, tries: 7 }));
  it("where numbers go round, by hand", () => run("edge", edgeRun, edge));
  it("a NACK while frames are being written, and a reply while they are sent again", () => run("race", raceRun));
  it("behind a reset nobody has a session", () => run("closed", closedRun));
  it("a full window waits, exactly; ACKs come through", () => run("window", windowRun));
  it("a client that falls silent is given up, neither sooner nor later", () => run("silent", silentRun));
  it("ACKs and timeouts come when they are due, from both sides", () => run("ages", ageRun));
  it("a session that begins anew hears nothing of its last life", () => run("anew", beginAnewRun));
  it("resets beside traffic", () => run("resets", resetRun));
  it("crowded: requests are refused, replies are not lost", () => run("crowded", crowdedRun, { replies: 32 }));
  it("full: what has no place is dropped, and nothing is stuck", () => run("full", fullRun, full));
  it("a frame that memory has lost is not sent", () => run("memory", memoryErrorRun));
  it("everything else goes on, or is dropped, as the page says", () => run("checks", checksRun));
  it("replies that a node reorders: the client hears them so, and none waits for the oldest request", () =>
    run("reordered", reorderedRun));
  it("latency and interval are as stated", () => run("latency", latencyRun));
});
