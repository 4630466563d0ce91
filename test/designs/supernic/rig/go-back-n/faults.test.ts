/** Faults planted in the Verilog of the task in a whole device: the model beside it finds each. */
import { describe, expect, it } from "vitest";
import { deviceDefinition } from "../../../../../designs/supernic/rig/device/index.ts";
import { BuildError, runBench } from "../../../../../sim/index.ts";
import { plant } from "../../../../support/plant.ts";
import { parameters, SessionsDevice, setup } from "./support/sessions-device.ts";

const long = process.env["MNEMO_LONG"] === "1";
/** What the model says of a device in which `from` is `to`, after so many cycles of traffic. */
const problemsOf = async (from: string | RegExp, to: string, lost: number): Promise<readonly string[]> => {
  let world: SessionsDevice | undefined;
  // A client may break off before the end: what the model has said until then counts alone.
  await runBench(
    "sessions fault",
    plant(deviceDefinition(setup, parameters), from, to),
    { limitCycles: 400_000, wave: false, seed: 4 },
    async b => {
      const w = new SessionsDevice(b, { lost, way: 500 });
      world = w;
      await w.device.bringUp();
      for (const c of w.clients) c.open();
      await b.until(() => w.clients.every(c => c.session !== undefined));
      for (let n = 0; n < 12; n++)
        for (const c of w.clients) {
          c.put(b.random.bytes(b.random.pick([16, 40, 300, 1200])));
          await b.cycles(b.random.below(300));
        }
      await b.cycles(60_000);
      w.device.memory?.stop();
      w.scoreboard.finish();
    },
  ).catch((e: unknown) => {
    if (e instanceof BuildError) throw e;
  });
  return world?.scoreboard.problems ?? [];
};
describe("the model beside the device finds", () => {
  const finds = (name: string, from: string | RegExp, to: string, lost: number, always = false): void =>
    it.skipIf(!always && !long)(name, async () => expect(await problemsOf(from, to, lost)).not.toEqual([]));
  // Names of the task's alone: others of the device have wires of equal names.
  finds("a timeout that comes too early", "& ~was_again & ~was_progress;", "& ~was_again;", 0.1);
  finds("ACKs that are not heard", "is_heard = is_accepted & late_control;", "is_heard = 1'b0;", 0.1, true);
  finds("a NACK for every packet ahead", "asks = ahead & ~was_nacked;", "asks = ahead;", 0.1);
  finds("a session whose life does not begin anew", /life_before\[15:0\] \+ 16'd1/, "life_before[15:0]", 0.1);
  finds("a reply's last beat that is whole", /\blast_bytes <= [^;]*;/, "last_bytes <= 7'd64;", 0);
  finds("new replies that overtake those that are sent again", "granted_now = ~was_again;", "granted_now = 1'b1;", 0.3);
  finds(
    "long replies that are dropped",
    "is_kept = late_valid & late_reply & room_for_reply;",
    "is_kept = late_valid & late_reply & room_for_reply & ~late_payload_bytes[9];",
    0,
  );
});
