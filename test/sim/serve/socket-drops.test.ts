import { describe, expect, it } from "vitest";
import { socketDrops } from "../../../sim/index.ts";

const table = `   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops
  207: 0100007F:04B0 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 48221 2 0000000000000000 17
  208: 0100007F:04D2 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 48222 2 0000000000000000 5
  208: 0200007F:04B0 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 48223 2 0000000000000000 1000
`;

describe("datagrams that the kernel dropped at sockets", () => {
  it("are those of the address and the ports that are asked for", () => {
    expect(socketDrops("127.0.0.1", [1200], table)).toBe(17);
    expect(socketDrops("127.0.0.1", [1200, 1234, 9], table)).toBe(22);
    expect(socketDrops("127.0.0.2", [1200], table)).toBe(1000);
    expect(socketDrops("127.0.0.1", [], table)).toBe(0);
  });
  it("are none on a system without such a table", () => {
    expect(socketDrops("127.0.0.1", [1200], "")).toBe(0);
  });
});
