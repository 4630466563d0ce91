/**
 * Which tests a run of everything leaves to `.ci/run`. `npm test` has to be quick: what takes long, and has something
 * smaller beside it, is run by CI, and by whoever names a file or sets MNEMO_TESTS=all.
 */
import { createHash } from "node:crypto";

/** `sample`: the quick run; `rest`: just what it leaves out; `all`: both. */
export type Part = "sample" | "rest" | "all";

const parts: readonly Part[] = ["sample", "rest", "all"];

/**
 * The part that a run of vitest takes: MNEMO_TESTS says it, else a run that names a file or a test takes all of it.
 * @param given arguments behind `vitest run` @throws Error for another MNEMO_TESTS
 */
export function partOf(asked: string | undefined, given: readonly string[]): Part {
  const part = parts.find(p => p === asked);
  if (part !== undefined) return part;
  if (asked !== undefined) throw new Error(`MNEMO_TESTS = "${asked}": must be sample, rest or all`);
  return given.every(a => a.startsWith("--") && !a.startsWith("--testNamePattern")) ? "sample" : "all";
}

/** Files that take half a minute or more, and what runs instead of each in `npm test`. */
export const heavyFiles: Readonly<Record<string, string>> = {
  "test/designs/clio/cluster/failures.test.ts": "migration.test.ts and under-traffic.test.ts beside it",
  "test/designs/clio/offload/internal-link.test.ts": "extend-path.test.ts beside it",
  "test/designs/clio/offloads/kv-node.test.ts": "kv.test.ts beside it",
  "test/designs/clio/rig/node/gbn-offloads.test.ts": "gbn.test.ts and the offloads' own benches",
  "test/designs/clio/rig/node/simulators.test.ts": "the comparisons in test/hdl-dsl/simulator",
  "test/designs/clio/rig/serve/cluster.test.ts": "verb-cluster.test.ts beside it",
  "test/designs/clio/rtl/retry/turns/search.test.ts": "retry-clients.test.ts and retry-buffer.test.ts above it",
  "test/designs/hotpot/device/device.test.ts": "task/commit-task.test.ts, and the engine's and the cluster's benches",
  "test/designs/rack/rig/peers/around.test.ts": "around.test.ts of the peers' software, over models of devices",
  "test/designs/rack/rig/peers/circle.test.ts": "the classes in the benches of port, lane and merge",
  "test/designs/rack/rig/peers/hop.test.ts": "onward.test.ts of the peers' software, and the queues' own benches",
  "test/designs/rack/rig/peers/kv.test.ts": "the peers' software against models of devices",
  "test/designs/rack/rig/peers/ring.test.ts": "onward.test.ts of the peers' software, and setup/ of the ways",
  "test/designs/rack/rig/peers/state.test.ts": "state-move.test.ts of one device, and the software's models",
  "test/designs/rack/rig/peers/vpc.test.ts": "the tasks' benches",
  "test/designs/rack/rig/serve/regions.test.ts": "the managed devices of rig/bitstreams",
  "test/designs/rack/rig/serve/verb.test.ts": "verb.test.ts of the sNIC alone and of the node alone",
  "test/designs/rack/rig/threads.test.ts": "fabric.test.ts beside it, and rack.test.ts in one thread",
  "test/designs/shared/go-back-n/rtl/reorder.test.ts": "reorder-bounded.test.ts beside it",
  "test/designs/supernic/build/corners.test.ts": "the builds that are generated and linted",
  "test/designs/supernic/evaluation/figures.test.ts": "core/path.test.ts and the benches of the scheduler",
  "test/designs/supernic/rig/at-rest.test.ts": "census.test.ts beside it",
  "test/designs/supernic/rig/isolation.test.ts":
    "the benches of match, merge and the regions, and the software's own tests",
  "test/designs/supernic/rig/memory-task.test.ts": "the benches of rtl/memory",
  "test/designs/supernic/rig/payload-task.test.ts": "payload.test.ts of rtl/region",
  "test/designs/supernic/rig/serve/regions.test.ts":
    "the managed devices of rig/bitstreams, and verb.test.ts beside it",
  "test/designs/supernic/rig/users.test.ts": "isolation.test.ts beside it, and the software's own tests",
  "test/designs/supernic/rig/weights.test.ts": "fair-shares.test.ts beside it, and the software's own tests",
  "test/designs/supernic/rig/worlds.test.ts": "the captures of rig/run and the blocks' random benches",
  "test/designs/valet/cluster.test.ts": "stage.test.ts beside it",
  "test/docs/rack-on-a-laptop.test.ts": "rack.test.ts, and the page's excerpts are generated",
  "test/hdl-dsl/fuzz/faults.test.ts": "fuzz.test.ts beside it",
  "test/hdl-dsl/fuzz/grid/grid.test.ts": "fuzz.test.ts",
  "test/hdl-dsl/lib/two-ports.test.ts": "memory.test.ts of test/hdl-dsl/verilog",
  "test/hdl-dsl/simulator/waves.test.ts": "the other comparisons beside it",
  "test/scripts/signal-misuse.test.ts": "the lint of all sources in .ci/run, which has the rule",
};

/** Single tests that take as long, in files whose others do not: what stands in their names. */
export const heavyTests: Readonly<Record<string, readonly string[]>> = {
  "test/cli/compare-public.test.ts": ["refuses a module without a parameter that it had"],
  "test/cli/draw/draw.test.ts": ["has every module once, and a click", "has no two boxes on top of each other"],
  "test/cli/explore/explore.test.ts": ["measures area at each point"],
  "test/cli/generate.test.ts": ["what is committed is what is generated now"],
  "test/cli/mutate/all.test.ts": ["has a row for each module"],
  "test/cli/mutate/mutate.test.ts": [
    "a bench that checks nothing finds nothing",
    "a bench of a copy that says less",
    "a bench that checks finds what it checks",
    "a module that no test simulates is told",
  ],
  "test/cli/mutate/together.test.ts": ["a module's faults fare as they do alone"],
  "test/cli/own/own.test.ts": ["a claim that fails leaves a test that fails", "says which lines the benches"],
  "test/cli/synth/embedded-yosys.test.ts": ["without one that of npm"],
  "test/designs/aifm/far-store.test.ts": ["a use that has ended keeps its right"],
  "test/designs/clio/board/boards.test.ts": ["'htg9200_supernic' its top level passes verilator"],
  "test/designs/clio/client/bindings/keys.test.ts": ["in Python every call works as without keys"],
  "test/designs/clio/client/c/c.test.ts": ["drops, doubles, reorders and says BUSY"],
  "test/designs/clio/client/python/python.test.ts": ["drops, doubles, reorders and says BUSY"],
  "test/designs/clio/cluster/pause.test.ts": ["pause and total time"],
  "test/designs/clio/linearizability/checker.test.ts": ["40,000 operations"],
  "test/designs/clio/offloads/kv.test.ts": ["the same key of three processes, alike in bucket"],
  "test/designs/clio/rig/node/gbn.test.ts": ["1,100 requests in a row"],
  "test/designs/clio/rig/node/random.test.ts": ["64 bits, 4 KB", "128 bits, 4 KB", "memory that comes and goes"],
  "test/designs/clio/rig/serve/ends.test.ts": ["while the model is compiled"],
  "test/designs/clio/rig/serve/verb.test.ts": ["takes any free port", "runs the page's first program as it stands"],
  "test/designs/clio/rtl/transport/gbn-rx.test.ts": ["without room"],
  "test/designs/fastswap/verbs.test.ts": ["prints what a fault waits, for each way"],
  "test/designs/rack/rig/pause.test.ts": ["behind a switch: false"],
  "test/designs/rack/rig/rack.test.ts": ["rack-switch", "rack-ring", "captures at endpoints", "a sNIC on the way adds"],
  "test/designs/shared/wire/frames.test.ts": ["up to 9000 bytes of data"],
  "test/designs/supernic/model/device/scoreboard.test.ts": ["when a set of the NAT is full"],
  "test/designs/supernic/rig/bitstreams/kv-swap.test.ts": ["its region is taken and it comes back"],
  "test/designs/supernic/rig/encryption/cipher.test.ts": ["a tunnel out of a port"],
  "test/designs/supernic/rig/encryption/gcm.test.ts": ["a tunnel out of a port, one that is opened"],
  "test/designs/supernic/rig/fair-shares.test.ts": [
    "three users and two chains under overload",
    "a user stops and starts",
  ],
  "test/designs/supernic/rig/go-back-n/run.test.ts": ["plays a capture of a session"],
  "test/designs/supernic/rig/loop.test.ts": ["gets whole frames from both"],
  "test/designs/supernic/rig/reconfigure.test.ts": [
    "a reconfiguration loses no frame",
    "a region that is killed beside traffic",
  ],
  "test/designs/supernic/rig/replicate.test.ts": ["each write goes to all nodes"],
  "test/designs/supernic/rig/run/options.test.ts": ["a wave of the whole run"],
  "test/designs/supernic/rig/state-move.test.ts": ["a NAT is evicted under traffic", "a victim keeps what it had"],
  "test/designs/supernic/rtl/tasks/replicate/replicate-faults.test.ts": ["planted fault"],
  "test/designs/supernic/software/regions/memory.test.ts": ["a fault in the rules is found"],
  "test/designs/supernic/software/setup/hostile.test.ts": ["with any field replaced"],
  "test/designs/wickit/places/snic-device.test.ts": ["ports that pause and a network that loses"],
  "test/designs/wickit/places/snic-faults.test.ts": ["planted fault"],
  "test/examples/frame-counter/verbs.test.ts": ["draw, generate, prove, lint and synth"],
  "test/hdl-dsl/linear.test.ts": ["'a chain of registers'", "the sizes go from"],
  "test/hdl-dsl/simulator/operators.test.ts": ["rows of like operators"],
  "test/hdl-dsl/verilog/memory.test.ts": ["is inferred as block RAM"],
  "test/scripts/left-out.test.ts": ["fails where something else is wrong"],
  "test/scripts/setup.test.ts": ["`npm start` needs none of them"],
  "test/sim/bench/traps.test.ts": [
    "writes the wave of the run itself",
    "made and freed do not make",
    "a design that ends the simulation way 1",
    "a design that ends the simulation way 2",
  ],
};

/** One test in so many of those that are sampled. */
export const oneIn = 8;

/** A planted fault is one of many like it; so are resets beside a bench's traffic, and a proof of the portfolio. */
export const isSampled = (file: string, name: string): boolean =>
  /fault|planted|a reset of one edge in any cycle/i.test(`${file} ${name}`) || file === "test/prove/proofs.test.ts";

/** The same choice on every machine, and no other one next time: by what the test is called. */
const isChosen = (file: string, name: string): boolean =>
  createHash("sha256").update(`${file}\n${name}`).digest().readUInt32BE(0) % oneIn === 0;

/** Whether the quick run has it. @param name names of its groups and its own, with a space between */
export const inSample = (file: string, name: string): boolean =>
  !Object.hasOwn(heavyFiles, file) &&
  heavyTests[file]?.some(part => name.includes(part)) !== true &&
  (!isSampled(file, name) || isChosen(file, name));

/** Whether a run of this part has it. */
export const inPart = (part: Part, file: string, name: string): boolean =>
  part === "all" || inSample(file, name) === (part === "sample");
