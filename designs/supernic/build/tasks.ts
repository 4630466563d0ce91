import {
  balancer,
  checksum,
  decrypt,
  delay,
  dummy,
  encrypt,
  firewall,
  gcmOpen,
  gcmSeal,
  goBackN,
  kvCache,
  nat,
  replicate,
  type Task,
  tunnel,
  xor,
} from "../rtl/index.ts";

/** Tasks without parameters. */
const plain: Readonly<Record<string, Task>> = {
  dummy,
  checksum,
  firewall,
  balancer,
  nat,
  tunnel,
  xor,
  encrypt,
  decrypt,
  replicate,
  [goBackN.declared.name]: goBackN,
  seal: gcmSeal,
  open: gcmOpen,
};

/** A task by its name: `firewall`, `delay(6,1)`. @throws RangeError in one sentence for one that there is not */
export function taskNamed(text: string): Task {
  const [, name = "", , given] = /^([a-z_]+)(\(([\d,]+)\))?$/.exec(text) ?? [],
    found = Object.hasOwn(plain, name) ? plain[name] : undefined;
  if (found !== undefined && given === undefined) return found;
  const [latency, interval, more] = (given ?? "").split(",").map(Number);
  if (name === "delay" && latency !== undefined && interval !== undefined && more === undefined)
    return delay(latency, interval);
  const [, policy] = /^kv_(.*)$/.exec(name) ?? [];
  if ((policy === "fifo" || policy === "lru") && latency !== undefined && interval === undefined)
    return kvCache(policy, latency);
  throw new RangeError(
    `there is no such task; the tasks are ${Object.keys(plain).join(", ")}, delay(latency,interval), kv_fifo(values) and kv_lru(values)`,
  );
}
