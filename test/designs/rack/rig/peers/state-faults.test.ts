/** Faults in the state's way, in the hardware of one of two sNICs or in the software of both: each is found. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BuildError } from "../../../../../sim/index.ts";
import { plant } from "../../../../support/plant.ts";
import { Mutants } from "../../../supernic/software/peers/support/mutant.ts";
import { journey, silentPut } from "./state-life.ts";
import { inStateRack, type StateRack, type StateRackOptions } from "./state-rack.ts";

const patience = 400_000,
  /** Four times what a journey takes: a fault may keep all from ending. */
  patienceNs = 6_000_000;
type Run = (r: StateRack) => Promise<readonly string[]>;
/** What a run says; one that breaks off has said why. */
async function saysOf(o: StateRackOptions, run: Run): Promise<readonly string[]> {
  try {
    return await inStateRack({ ...o, patienceNs }, run);
  } catch (e) {
    if (e instanceof BuildError) throw e;
    return [String(e)];
  }
}

// Each builds a device of its own, or runs two for a millisecond: MNEMO_LONG=1 runs them.
describe.skipIf(process.env["MNEMO_LONG"] !== "1")("a planted fault in the state's move is found", () => {
  const hardware: readonly (readonly [name: string, at: string, from: string | RegExp, to: string, why: RegExp])[] = [
    [
      "where it comes to, a binding is written into another way",
      "snic1",
      "asked_puts & (asked_way == 2'd1)",
      "asked_puts & (asked_way == 2'd2)",
      /bindings|did not come|all frames came/,
    ],
    [
      "where it goes from, a read clears what it reads",
      "snic0",
      "puts_state = serves_state & state_writes",
      "puts_state = serves_state",
      /bindings/,
    ],
    [
      "where it goes from, a read ends at a word of 0",
      "snic0",
      /(module StateReader[^]*?)goes_on = [^;]*;/,
      "$1goes_on = 1'b0;",
      /bindings/,
    ],
    ["where it comes to, words go nowhere", "snic1", "restores_0 & asked_put_valid", "1'b0", /bindings/],
  ];
  it.each(hardware)(
    "%s",
    async (_, at, from, to, why) => {
      const change: StateRackOptions["change"] = name => (name === at ? { change: d => plant(d, from, to) } : {});
      expect((await saysOf({ change }, journey)).filter(p => why.test(p))).not.toEqual([]);
    },
    patience,
  );

  const mutants = new Mutants();
  beforeAll(() => mutants.prepare());
  afterAll(() => mutants.remove());
  const software: readonly (readonly [name: string, file: string, from: string, to: string, why: RegExp, run: Run])[] =
    [
      [
        "where it comes back, packets do not wait for it",
        "away.ts",
        "for (const c of own) await ways.hold(c);",
        "",
        /bindings|counter|counted/,
        journey,
      ],
      [
        "where it goes to, packets do not wait for it",
        "guests.ts",
        "for (const c of stateful) await ways.hold(c);",
        "for (const c of stateful) await Promise.resolve(c);",
        /bindings|counter|counted/,
        journey,
      ],
      [
        "what is old stays where it was",
        "away.ts",
        'if (!this.#o.hasGuest(c)) await manager.stop(c, "forget");',
        'if (!this.#o.hasGuest(c)) await manager.stop(c, "keep");',
        /lies here/,
        journey,
      ],
      [
        "who waits for state that never comes is done without",
        "guests.ts",
        "if (guest.waits) await",
        "if (!guest.waits) await",
        /bindings|counter/,
        silentPut,
      ],
    ];
  it.each(software)(
    "%s",
    async (_, file, from, to, why, run) => {
      const says = await saysOf({ seed: 2, software: await mutants.of(file, from, to) }, run);
      expect(says.filter(p => why.test(p))).not.toEqual([]);
    },
    patience,
  );
});
