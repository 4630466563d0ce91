import { makeSettings } from "../../../../designs/clio/config/index.ts";
import { MappedMemory, type Outcome, ReferenceNode } from "../../../../designs/clio/model/index.ts";
import { clearTable, SlowPath } from "../../../../designs/clio/software/index.ts";
import { FakeHardware } from "./fake-hardware.ts";

/**
 * A whole node without hardware: the reference model for the fast path, the real slow path over the fake
 * transport behind it.
 */
export async function modelNode(given: Record<string, unknown> = {}) {
  const { config, runtime } = makeSettings(given),
    hardware = new FakeHardware(config),
    memory = new MappedMemory(config.usablePages);
  await clearTable(hardware, config);
  const slow = new SlowPath(hardware, config, runtime, { observer: memory }),
    done = slow.run(),
    node = new ReferenceNode(config, runtime, memory);
  await slow.ready;
  return {
    config,
    runtime,
    hardware,
    slow,
    node,
    memory,
    /** The reply to a frame, from whichever path; and what the model said of it. */
    async receive(
      frame: Uint8Array,
      fcsBad = false,
    ): Promise<{ readonly outcome: Outcome; readonly reply: Uint8Array | undefined }> {
      const outcome = node.receive(frame, fcsBad);
      return {
        outcome,
        reply:
          outcome.kind === "reply"
            ? outcome.frame
            : outcome.kind === "forward"
              ? await hardware.request(outcome.frame)
              : undefined,
      };
    },
    async close(): Promise<void> {
      hardware.close();
      await done;
    },
  };
}
