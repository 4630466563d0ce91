/** One memory of the board for tasks and rings: docs/supernic/spill.md, "On a board". */
import { describe, expect, it } from "vitest";
import { boardBusOfDevice, type DeviceParameters, superNic } from "../../../../../designs/supernic/rtl/index.ts";
import { deviceSizes, spillOf } from "../../../../../designs/supernic/build/index.ts";
import { makeParameters } from "../../../../../designs/supernic/config/index.ts";
import { legalMemories, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { dut as memoryAlone, MemoryRig } from "../memory/support/memory-rig.ts";
import { dut } from "./support/board-path.ts";
import {
  type B,
  beyond,
  BoardRig,
  bothGo,
  lone,
  pausing,
  ringsFail,
  tasksFail,
  together,
} from "./support/board-rig.ts";

describe("tasks and rings in one memory", () => {
  bench(
    "both under load: each byte is right, and each waits for one burst of the other at most",
    dut,
    { seed: 1 },
    async b => {
      const { both, passed } = await together(b, { depth: 2 }, 2_000);
      expect(both, "cycles in which both want an address").toBeGreaterThan(20);
      expect(passed).toEqual({ tasks: 1, rings: 1 });
    },
  );
  for (const [name, memory] of Object.entries(legalMemories))
    bench(`with pauses at every end, and a memory with ${name}`, dut, { seed: 2 }, async b => {
      const { both } = await together(b, { latency: 60, depth: 2, ...memory, ...pausing(b) }, 700);
      expect(both).toBeGreaterThan(20);
    });
  bench("reads of rings fail, and no task notices it", dut, { seed: 3 }, async b => void (await ringsFail(b, "reads")));
  bench(
    "writes of rings fail, and no task notices it",
    dut,
    { seed: 4 },
    async b => void (await ringsFail(b, "writes")),
  );
  bench("pages of tasks fail, and no ring loses a frame", dut, { seed: 5 }, async b => void (await tasksFail(b)));
  bench(
    "tasks are switched off, and rings discard, beside each other",
    dut,
    { seed: 6 },
    async b => void (await bothGo(b)),
  );
  bench("pages of rings are nobody's, whatever software writes", dut, { seed: 7 }, beyond);
  it("a lone read comes two cycles later than without rings beside it", async () => {
    const beside = await runBench("read beside", dut, { seed: 8 }, b => {
      const rig = new BoardRig(b);
      return lone(new MemoryRig(rig.tasks, { ram: rig.ram }));
    });
    const alone = await runBench("read alone", memoryAlone, { seed: 8 }, b => lone(new MemoryRig(b)));
    expect(beside - alone).toBe(2);
  });
});

describe("a device with both", () => {
  const p = makeParameters({ ports: 2, regions: 1, slots: 1 }),
    memory = { ways: 1, pages: 8192, spaces: 16, pageShift: 21, ppnBits: 13, freePages: 16 },
    sizes = (frames?: number): DeviceParameters => ({
      ...{ ...deviceSizes(p), spill: spillOf(p) },
      memory: { ...memory, ...(frames !== undefined && { frames }) },
    });
  it("has one bus, as wide as the memory; one more bit of an ID tells both apart", () => {
    expect(boardBusOfDevice(sizes(896))).toEqual({ beatBytes: 64, addressBits: 31, idBits: 2 });
    expect(boardBusOfDevice({ ...sizes(), spill: undefined } as never)?.addressBits).toBe(34);
    expect(boardBusOfDevice(deviceSizes(p))).toBeUndefined();
  });
  it("is refused in one sentence when pages of tasks would reach the rings", () => {
    const sentence =
      "SuperNic: tasks may have 897 pages of 2097152 bytes, and 896 lie in front of the rings; give frames = 896";
    expect(() => boardBusOfDevice(sizes(897))).toThrow(sentence);
    expect(() => superNic([])(sizes(897)).ports).toThrow(sentence);
    expect(() => boardBusOfDevice(sizes())).toThrow(/SuperNic: tasks may have 8192 pages .* give frames = 896$/);
  });
});

describe("a planted fault of the board's bus is found", () => {
  const finds = (name: string, from: string | RegExp, to: string, run: (b: B) => Promise<unknown>) =>
    it(name, () =>
      findsFault(
        runBench(
          `board fault ${name}`,
          plant(dut, from, to),
          { seed: 31, wave: false, limitCycles: 60_000, hangCycles: 4_000 },
          run,
        ),
      ),
    );
  /** Class queues that give a frame's beats with long gaps. */
  const starving = (b: B) => together(b, { depth: 2 }, 300, 0.7);
  const loaded = (b: B) => together(b, { latency: 30, depth: 1, ...pausing(b) }, 1_500);
  const reads = (b: B) => ringsFail(b, "reads"),
    writes = (b: B) => ringsFail(b, "writes", 1_200);
  finds("tasks read first", /(wire \[1:0\] read_grant_after =) [^;]*;/, "$1 2'd0;", loaded);
  finds("rings write first", /(wire \[1:0\] write_grant_after =) [^;]*;/, "$1 write_grant_request & 2'd2;", loaded);
  finds("rings have the last way's ID in writes", ".rings_aw_payload_id (3'd4)", ".rings_aw_payload_id (3'd3)", loaded);
  finds("tasks' data go with rings' addresses", /(wire owner_next_payload_rings =) [^;]*;/, "$1 1'b0;", loaded);
  finds(
    "an error of a write is told once more, to whoever comes next",
    /b_in_held_resp <= m_b_payload_resp/,
    "b_in_held_resp <= b_in_held_resp | m_b_payload_resp",
    writes,
  );
  finds(
    "an error of a read is told once more, to whoever comes next",
    /r_in_held_resp <= m_r_payload_resp/,
    "r_in_held_resp <= (r_in_full ? r_in_held_resp : 2'd0) | m_r_payload_resp",
    reads,
  );
  finds(
    "an answer of rings holds up the tasks'",
    /assign b_ready = \(tasks_b_ready & \(b_payload_id != 3'd4\)\)/,
    "assign b_ready = (tasks_b_ready & ~rings_w_valid & (b_payload_id != 3'd4))",
    loaded,
  );
  finds("a burst of rings goes out before its beats are here", /(wire write_enough =) [^;]*;/, "$1 1'b1;", starving);
  finds("beats that are here are counted once more", /(write_here <= write_here) \+/, "$1 + 6'd1 +", starving);
  finds("an entry leads to the rings", /(wire beyond_tasks =) [^;]*;/, "$1 1'b0;", beyond);
  finds(
    "an entry leads to the rings' first page",
    /page_write_value_ppn >= 6'd56/,
    "page_write_value_ppn > 6'd56",
    beyond,
  );
  finds("a page of rings is moved", /move_payload_ppn >= 6'd56/, "1'b0", beyond);
  finds("the rings' first page is moved", /move_payload_ppn >= 6'd56/, "move_payload_ppn > 6'd56", beyond);
  finds("a move that is refused takes a beat", /(beats_taken <=) no_room \?[^;]*;/, "$1 7'd0;", beyond);
});
