/** The stage: writes to a region that moves are acknowledged, read back, bounded and sent in order. */
import { describe, expect, it, test } from "vitest";
import { WriteStage } from "../../../designs/valet/stage/index.ts";
import { Random } from "../../../sim/index.ts";
import { withSourceFault } from "../../support/source-fault.ts";
import { FarModel, inTime, judged, stageOf, type StageWorld } from "./stage-rig.ts";

const worlds: Readonly<Record<string, Omit<StageWorld, "seed">>> = {
  "room for all": {},
  "room for little": { bytes: 128, writes: 3 },
  "one at a time": { window: 1, writes: 8 },
  "tries of unknown outcome": { unknown: 0.1 },
  "little room and unknown outcomes": { unknown: 0.1, bytes: 100, writes: 2, clients: 8 },
};
const of = (...bytes: number[]): Uint8Array => Uint8Array.from(bytes);

describe("linearizable under random traffic", () => {
  it.each(Object.entries(worlds))("%s", async (name, world) => {
    for (const seed of [1, 2]) {
      const s = await judged(WriteStage, { ...world, seed });
      for (const n of ["direct", "staged", "readHere"] as const) expect(s[n], n).toBeGreaterThan(0);
      if (name.includes("little")) expect(s.held).toBeGreaterThan(5);
    }
  });
  it("two stages for one region are not: each acknowledges what the other does not see", async () => {
    await expect(judged(WriteStage, { seed: 1, around: true })).rejects.toThrow(/byte|words/);
  });
});

describe("one write", () => {
  const staging = <T>(body: (stage: WriteStage, far: FarModel, now: () => number) => Promise<T>): Promise<T> =>
    inTime(async time => {
      const far = new FarModel(time, new Random(1));
      far.moving = true;
      return body(stageOf(WriteStage, far, { bytes: 100, writes: 4, window: 1 }), far, () => time.now());
    });

  it("of a region that moves is acknowledged here, and read here, before the node has it", () =>
    staging(async (stage, far) => {
      await stage.write(8n, of(1, 2));
      expect(await stage.read(8n, 2)).toEqual(of(1, 2));
      expect(await stage.read(7n, 4)).toEqual(of(0, 1, 2, 0));
      expect(far.all[8]).toBe(0);
      far.moving = false;
      await stage.fence();
      expect([...far.all.subarray(7, 11)]).toEqual([0, 1, 2, 0]);
    }));
  it("and another of the same page: the later one stays, at every moment (Valet, Fig. 17)", () =>
    staging(async (stage, far) => {
      await stage.write(8n, of(1));
      await stage.write(9n, of(5));
      await stage.write(8n, of(2));
      far.moving = false;
      while (stage.inside.writes > 0) {
        expect((await stage.read(8n, 2))[0]).toBe(2);
        await far.later(20);
      }
      expect(far.order).toEqual([8n, 9n, 8n]);
      expect([...far.all.subarray(8, 10)]).toEqual([2, 5]);
    }));
  it("that finds no room waits, in its turn, and is not acknowledged", () =>
    staging(async (stage, far, now) => {
      const done: number[] = [];
      for (let i = 0; i < 4; i++) await stage.write(BigInt(8 * i), of(i));
      const late = [4, 5].map(i => stage.write(BigInt(8 * i), of(i)).then(() => done.push(i, now())));
      await far.later(20_000);
      expect(done).toEqual([]);
      expect(stage.inside).toMatchObject({ writes: 4, waiting: 2 });
      far.moving = false;
      await Promise.all(late);
      expect([done[0], done[2]]).toEqual([4, 5]);
      await stage.fence();
    }));
  it("that the node refuses in the end is told by the next fence, once", () =>
    staging(async (stage, far) => {
      await stage.write(8n, of(1));
      far.gone = true;
      far.moving = false;
      await expect(stage.fence()).rejects.toThrow("1 staged writes were lost, the first of 1 bytes at 0x8");
      await stage.fence();
      expect(stage.inside).toEqual({ bytes: 0, writes: 0, waiting: 0, regions: 0 });
    }));
  it("needs a stage that has room for it", () => {
    expect(() => stageOf(WriteStage, new FarModel(undefined as never, new Random(1)), { bytes: 99 })).toThrow(
      "a stage of 99 bytes, 64 writes and 4 at a time has no room for a write of 100 bytes",
    );
  });
});

describe("planted faults", () => {
  const planted: readonly (readonly [what: string, from: string, to: string])[] = [
    [
      "a read does not see what is staged",
      "for (const entry of this.#staged) view.lay(entry);\n      return view.over",
      "return view.over",
    ],
    ["a read misses what left the stage meanwhile", "for (const read of this.#reads) read.lay(entry);", ""],
    [
      "reads see the oldest of two writes",
      "for (const entry of this.#staged) view.lay(entry);\n    return view.whole",
      "for (const entry of this.#staged.toReversed()) view.lay(entry);\n    return view.whole",
    ],
    ["the last byte of a write is not seen", "end = va + BigInt(data.length)", "end = va + BigInt(data.length) - 1n"],
    ["a write overtakes a staged one", "if (!region.staging && (await", "if ((await"],
    ["writes of the same bytes go side by side", ".some(other => meet(other, entry))", ".some(() => false)"],
    ["bytes that meet at one end only do not meet", "a.va < b.va + BigInt(b.bytes) &&", "a.va <= b.va &&"],
    [
      "more at a time than the window",
      "this.#underWay.size >= this.#window",
      "this.#underWay.size > 40 * this.#window",
    ],
    ["room is not given back", "if (entry.data !== undefined) this.#room.giveBack(entry.bytes);", ""],
    [
      "an addition gives back room that it never had",
      "if (entry.data !== undefined) this.#room.giveBack",
      "this.#room.giveBack",
    ],
    ["nobody is woken by room", "next.go();", ""],
    [
      "there is room without end",
      "return this.#bytes + bytes <= this.#most.bytes && this.#writes < this.#most.writes;",
      "return true;",
    ],
    ["one too many has room", "this.#writes < this.#most.writes", "this.#writes <= this.#most.writes"],
    ["a region is kept for ever", "if (region?.idle === true) this.#regions.delete(key);", ""],
    [
      "a region is forgotten while writes wait for room",
      "return this.users === 0 && !this.staging;",
      "return !this.staging;",
    ],
    ["what was tried in vain is tried again at once", "await far.quiet();", ""],
    [
      "a staged write of unknown outcome counts as done",
      'if (far.failure(e) === "refused") throw e;',
      'if (far.failure(e) !== "moving") return;',
    ],
    ["a caller's bytes are not copied", "const own = data.slice();", "const own = data;"],
    ["an addition does not wait for its turn", "if (!region.staging) return run();", "return run();"],
    ["a write that was refused for good is forgotten", "if (why !== undefined) this.#lost.push({ entry, why });", ""],
  ];
  test.each(planted)("%s", async (_, from, to) => {
    const { WriteStage: Planted } = (await withSourceFault("designs/valet/stage", from, to)) as {
      WriteStage: typeof WriteStage;
    };
    const found = async (): Promise<void> => {
      await inTime(async time => {
        const far = new FarModel(time, new Random(1)),
          stage = stageOf(Planted, far);
        far.moving = true;
        await stage.write(8n, of(1));
        far.gone = true;
        far.moving = false;
        const told = await stage.fence().then(
          () => "",
          (e: unknown) => String(e),
        );
        if (!told.includes("were lost")) throw new Error("a write that was lost is not told");
      });
      for (const world of Object.values(worlds)) for (const seed of [1, 2]) await judged(Planted, { ...world, seed });
    };
    await expect(found()).rejects.toThrow();
  });
});
