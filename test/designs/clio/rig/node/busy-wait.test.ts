import { describe, expect, it } from "vitest";
import { Scoreboard } from "../../../../../designs/clio/model/index.ts";
import { clockPeriod, makeSettings } from "../../../../../designs/clio/config/index.ts";
import { clientEndpoint } from "../../../../../designs/clio/workload/index.ts";
import {
  clioHeader,
  clioMessage,
  dissect,
  frameOffsets,
  opcode,
  replyFrame,
  type RequestHeaders,
  status,
  telling,
  waitOf,
} from "../../../../../designs/clio/wire/index.ts";
import { udpFrame } from "../../../../../designs/shared/wire/index.ts";
import { withNode } from "../../../../../designs/clio/rig/index.ts";

const settings = makeSettings({ retryClients: 4 }),
  { runtime, config } = settings,
  quarter = Math.ceil(config.retryCycles / 4) * clockPeriod;

/** A FENCE with a number, which makes its client known; with marks where the reply has its time to wait. */
const fence = (client: number, id: number, port = runtime.nativePort): Uint8Array =>
  udpFrame(
    clientEndpoint(client),
    { mac: runtime.mac, ip: runtime.ip, port },
    clioMessage({ opcode: opcode.FENCE, flagTracked: 1, requestId: id, retryOf: 0xabcd_ef01 }),
  );

describe("a client for whom the retry buffer has no place", () => {
  it("is told when somebody can be forgotten, then how long the sweep takes, and then it is in", () =>
    withNode("busy wait", settings, { seed: 3, wave: false }, async node => {
      const { bench } = node;
      let id = 0;
      // The scoreboard does not know the time: from when somebody is forgotten on, it has no part in this.
      let board: Scoreboard | undefined = new Scoreboard(config, runtime);
      const ask = async (client: number) => {
        const request = fence(client, ++id);
        node.send(request);
        board?.issue(request, bench.cycle);
        let frame = node.take();
        await bench.until(() => (frame ??= node.take()) !== undefined);
        const { bytes } = frame!,
          clio = dissect(bytes).clio!;
        board?.reply(bytes, bench.cycle);
        return { clio, wait: waitOf(clio) };
      };
      for (let i = 0; i < config.retryClients; i++) expect((await ask(i)).clio.status).toBe(status.OK);
      // All have just been heard of: three timeouts and a quarter are left, and the search.
      const first = await ask(9);
      expect(first.clio).toMatchObject({ status: status.BUSY, opcode: opcode.FENCE, flagRoute: 1, flagTracked: 1 });
      const least = 12 * quarter,
        most = 13 * quarter + (2 * config.retryClients + 16) * clockPeriod;
      expect(first.wait).toBeGreaterThanOrEqual(least);
      expect(first.wait).toBeLessThanOrEqual(most);
      // Halfway it is half of that.
      await bench.cycles(Math.ceil((6.5 * quarter) / clockPeriod));
      const half = await ask(9);
      expect(Math.abs(half.wait! - (first.wait! - 6.5 * quarter))).toBeLessThanOrEqual(2 * quarter);
      await bench.cycles(Math.ceil(half.wait! / clockPeriod));
      // Now somebody is forgotten for it.
      const last = await ask(9);
      expect([last.clio.status, last.wait]).toEqual([status.BUSY, (config.retryEntries / 4 + 16) * clockPeriod]);
      expect([board.problems, board.outstanding, board.completed]).toEqual([[], 0, config.retryClients + 3]);
      board = undefined;
      await bench.cycles(last.wait! / clockPeriod);
      const answer = await ask(9);
      expect(answer.clio).toMatchObject({ status: status.OK, flagRoute: 0, retryOf: 0xabcd_ef01 });
    }));
  it("planted faults: a wait without its mark, one longer than any place is kept, one for another request", () => {
    const judge = (wait: number, change: (reply: Uint8Array) => void): readonly string[] => {
      const board = new Scoreboard(config, runtime);
      for (let i = 0; i <= config.retryClients; i++) board.issue(fence(i, i), i);
      const asked = dissect(fence(config.retryClients, config.retryClients)),
        request = { ...asked, native: true } as RequestHeaders;
      const reply = replyFrame(
        runtime,
        { ...request, clio: telling(request.clio, wait) },
        request.clio.opcode,
        status.BUSY,
      );
      change(reply);
      board.reply(reply, 100);
      return board.problems;
    };
    expect(judge(13 * quarter, () => undefined)).toEqual([]);
    expect(judge(1e6, () => undefined).join()).toMatch(/longer than any place is kept/);
    const status4 = frameOffsets.clio + clioHeader.at.status.byteOffset,
      id8 = frameOffsets.clio + clioHeader.at.requestId.byteOffset;
    expect(judge(13 * quarter, r => void (r[status4]! &= 0xef))).toHaveLength(1);
    expect(judge(13 * quarter, r => void (r[id8]! ^= 1))).toHaveLength(1);
  });
});
