import { readFileSync } from "node:fs";

/** `127.0.0.1` and 1200 as the kernel's table of UDP sockets has them: `0100007F:04B0`, the address in host order. */
function localName(address: string, port: number): string {
  const bytes = address.split(".").map(Number).reverse(),
    hex = (n: number, digits: number): string => n.toString(16).toUpperCase().padStart(digits, "0");
  return `${bytes.map(b => hex(b, 2)).join("")}:${hex(port, 4)}`;
}

/** Columns of /proc/net/udp (proc(5)): `sl local_address rem_address ...`, the count of drops last. */
const LOCAL = 1;

/**
 * Datagrams that the kernel has dropped at UDP sockets of this machine since they were opened, because their buffers
 * were full. Node.js does not tell: Linux has the counts in a table, other systems say 0.
 * @param table the kernel's table; default that of this machine
 */
export function socketDrops(address: string, ports: Iterable<number>, table: string = udpTable()): number {
  const names = new Set([...ports].map(port => localName(address, port)));
  let drops = 0;
  for (const line of table.split("\n").slice(1)) {
    const columns = line.trim().split(/\s+/);
    if (names.has(columns[LOCAL] ?? "")) drops += Number(columns.at(-1));
  }
  return drops;
}

function udpTable(): string {
  try {
    return readFileSync("/proc/net/udp", "utf8");
  } catch {
    return "";
  }
}
