/** The whole device with the task of docs/supernic/tasks.md in one of its regions. */
import { deviceSizes, taskNamed } from "../../../../../designs/supernic/build/index.ts";
import { makeParameters } from "../../../../../designs/supernic/config/index.ts";
import { DeviceScoreboard, type TaskModels } from "../../../../../designs/supernic/model/index.ts";
import { play, type PlayFrame, type PlayResult, withDevice } from "../../../../../designs/supernic/rig/device/index.ts";
import type { Task } from "../../../../../designs/supernic/rtl/index.ts";
import { readSetup } from "../../../../../designs/supernic/software/index.ts";
import { ttl, ttlModel } from "../../rtl/tasks/support/ttl-task.ts";

// example
const taskOf = (name: string): Task => (name === "ttl" ? ttl : taskNamed(name));
const parameters = makeParameters({ ports: 2, contexts: 64, cells: 128, regions: 2, slots: 2, branches: 2 });
const setup = readSetup(
  JSON.stringify({
    mac: "02:5a:00:00:00:ff",
    ip: "10.4.0.254",
    ports: [{}, {}],
    stations: [
      { name: "left", mac: "02:5a:00:00:00:01", ip: "10.4.0.1", port: 0 },
      { name: "right", mac: "02:5a:00:00:00:02", ip: "10.4.0.2", port: 1 },
    ],
    users: [{ name: "user" }],
    // With arg 1 the checksum task writes what the time to live has made wrong.
    regions: [{ chain: "hop", tasks: ["ttl", "checksum"] }],
    dags: [{ name: "hop", user: "user", uid: 0x401, stages: [[{ chain: "hop", arg: 1 }]] }],
    rules: [{ protocol: 17, action: { dag: "hop" } }],
  }),
  "setup",
  deviceSizes(parameters),
  name => taskOf(name).declared,
);
export const throughDevice = (
  frames: readonly PlayFrame[],
  models: TaskModels = { ttl: ttlModel },
): Promise<PlayResult> =>
  withDevice("ttl", setup, parameters, { taskOf, wave: false, limitCycles: 500_000 }, device =>
    play(device, frames, { pace: "line-rate", scoreboard: new DeviceScoreboard(setup, models) }),
  );
// end
