import { describe, expect, it } from "vitest";
import { AtMostOnce, type AtMostOnceOptions } from "../../../../../designs/shared/control/software/index.ts";
import { Random } from "../../../../../sim/index.ts";

const refusals = { expired: "expired", underWay: "under way", full: (ns: number) => `full for ${ns}` };
const parameterSets: readonly Omit<AtMostOnceOptions, "time">[] = [
  { replies: 2, clients: 2, idle: 50, forgotten: 1 },
  { replies: 16, clients: 12, idle: 1000, forgotten: 64 },
];
type Rules = Pick<AtMostOnce<string>, "reply">;

/** Clients that repeat what they asked, late and often: no change is made twice, and repeats have the first reply. */
async function run(p: (typeof parameterSets)[number], make: (o: AtMostOnceOptions) => Rules): Promise<void> {
  const random = new Random(5),
    done = new Map<string, string>(),
    next = new Map<string, number>();
  let now = 0,
    repeated = 0,
    expired = 0;
  const rules = make({ ...p, time: () => now });
  for (let i = 0; i < 6000; i++) {
    now += random.chance(0.02) ? p.idle + 1 : random.between(0, 3);
    const client = `client ${random.between(0, p.clients + 1)}`,
      newest = next.get(client) ?? 0,
      retry = newest > 0 && random.chance(0.5),
      operation = retry ? Math.max(0, newest - random.between(1, p.replies * 3)) : newest;
    if (!retry) next.set(client, newest + 1);
    const key = `${client}, ${operation}`,
      first = done.get(key);
    const reply = await rules.reply({ client, operation, retry, kind: 1, changes: true }, () => {
      expect(done.has(key), `${key} is done twice`).toBe(false);
      done.set(key, `reply ${i}`);
      return `reply ${i}`;
    });
    if (reply === refusals.expired) expired++;
    else if (reply !== refusals.underWay && !reply.startsWith("full") && first !== undefined) {
      repeated++;
      expect(reply, `the reply to ${key}`).toBe(first);
    }
  }
  expect(Math.min(repeated, expired), "repeats and refusals were seen").toBeGreaterThan(10);
}
describe.each(parameterSets)("AtMostOnce, $replies replies of $clients clients", p => {
  const make = (o: AtMostOnceOptions): AtMostOnce<string> => new AtMostOnce(o, refusals);
  it("no change is made twice", () => run(p, make));
  it("a client for whom there is no room is told how long: it gets in then, and no sooner", async () => {
    for (const early of [1, 0]) {
      let now = 0;
      const rules = make({ ...p, time: () => now });
      const ask = (client: string): Promise<string> =>
        rules.reply({ client, operation: 1, retry: false, kind: 1, changes: true }, () => "done");
      for (let i = 0; i < p.clients; i++) {
        now = i * 3;
        await ask(`client ${i}`);
      }
      const told = await ask("newcomer");
      expect(told).toBe(`full for ${p.idle + 1 - now}`);
      now += p.idle + 1 - now - early;
      expect(await ask("newcomer")).toBe(early === 0 ? "done" : "full for 1");
    }
  });
  it("nobody is told a time while what the idlest client asked is under way", async () => {
    const rules = make({ ...p, time: () => 0 }),
      ends: (() => void)[] = [];
    const ask = (client: string): Promise<string> =>
      rules.reply(
        { client, operation: 1, retry: false, kind: 1, changes: true },
        () => new Promise<string>(resolve => void ends.push(() => resolve("done"))),
      );
    const open = Array.from({ length: p.clients }, (_, i) => ask(`client ${i}`));
    expect(await ask("newcomer")).toBe(refusals.underWay);
    for (const end of ends) end();
    await Promise.all(open);
    expect(await ask("newcomer")).toBe(`full for ${p.idle + 1}`);
  });
  it("its memory stays within bounds, and what reads only is done anew", async () => {
    const rules = make({ ...p, time: () => 0 });
    for (let i = 0; i < 100; i++)
      await rules.reply({ client: "one", operation: i, retry: false, kind: 1, changes: true }, () => "done");
    expect(rules.size).toEqual({ clients: 1, replies: p.replies });
    let times = 0;
    for (let i = 0; i < 3; i++)
      await rules.reply({ client: "one", operation: 200, retry: false, kind: 2, changes: false }, () => `${++times}`);
    expect(times).toBe(3);
  });
  it("while it is under way a repeat is refused, and after a failure it is done", async () => {
    const rules = make({ ...p, time: () => 0 }),
      request = { client: "one", operation: 1, retry: false, kind: 1, changes: true };
    let end: (reply: string) => void = () => undefined;
    const first = rules.reply(request, () => new Promise<string>(resolve => (end = resolve)));
    expect(await rules.reply({ ...request, retry: true }, () => "twice")).toBe(refusals.underWay);
    end("done");
    expect([await first, await rules.reply({ ...request, retry: true }, () => "twice")]).toEqual(["done", "done"]);
    await expect(
      rules.reply({ ...request, operation: 2 }, () => Promise.reject(new Error("malformed"))),
    ).rejects.toThrow("malformed");
    expect(await rules.reply({ ...request, operation: 2, retry: true }, () => "now")).toBe("now");
  });
  it("a planted fault is found: what was forgotten is done again", async () => {
    await expect(
      run(p, o => {
        const rules = make(o);
        return {
          reply: async (request, execute) => {
            const reply = await rules.reply(request, execute);
            return reply === refusals.expired ? execute() : reply;
          },
        };
      }),
    ).rejects.toThrow(/is done twice/);
  });
});
