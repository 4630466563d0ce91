/** The example of docs/clio/clib.md: the page shows the file that runs here, on a network with faults. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { mailbox, tryToRead } from "../../../docs/examples/mailbox.ts";
import { onNetwork } from "../../designs/clio/client/rig.ts";

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");

test("the page shows the example as it is", () => {
  const shown = /```ts mailbox\.ts\n([\s\S]*?)```/.exec(read("docs/clio/clib.md"))?.[1];
  expect(shown).toBe(
    read("docs/examples/mailbox.ts").replace("../../designs/clio/client/index.ts", "mnemosyne-clio/client"),
  );
});
test("it runs", () =>
  onNetwork({ clients: 2, seed: 9, link: { duplicate: 0.1, reorder: 0.2 } }, async ({ clients: [a, b], address }) => {
    expect(await mailbox(a!, b!, address, "hello, far memory")).toBe("hello, far memory");
    expect(await tryToRead(a!, address)).toBe("READ failed with INVALID; effect: none");
  }));
