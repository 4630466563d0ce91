import { type DesignVerb, fileName, once, setting } from "../../../shared/command-line/index.ts";
import { deviceName, subnet, udpPort } from "../../../shared/rig/index.ts";
import { monitorAddress, nodeCount, type ServeOptions, sessionCount } from "./options.ts";
import { runServe } from "./run-serve.ts";
import { runServeCluster } from "./run-serve-cluster.ts";

/** `mnemo serve clio`: the node as a server for programs of this machine. */
export const serveVerb: DesignVerb = {
  options: () => [
    setting(),
    once(
      "--setup <file>",
      "processes, memory and its contents before the first frame: a set-up file (.json) as of mnemo run",
      fileName(".json"),
    ),
    once("--port <port>", "the native UDP port (0: any free one); the same as --set nativePort=...", udpPort(0)),
    once(
      "--sessions <number>",
      "ports of the published client that are opened at once; others follow when sessions open",
      sessionCount,
    ).default(8),
    once(
      "--tap <device>",
      "serve a TAP device instead of sockets: ARP, ping and every port (Linux; root, unless the device is yours)",
      deviceName,
    ),
    once(
      "--tap-address <ip/prefix>",
      "this machine's address on the TAP device, when it has none (default: .254 of the node's /24)",
      subnet,
    ),
    once(
      "--monitor <where>",
      "the published client's monitor: a port, with --tap also ip or ip:port; off for none (default: 10000, with --tap at .9)",
      monitorAddress,
    ),
    once(
      "--nodes <number>",
      "several nodes at addresses that follow each other, and a global controller that makes one memory of them (sockets only)",
      nodeCount,
    ).default(1),
  ],
  act: (options: ServeOptions, terminal) => (options.nodes > 1 ? runServeCluster : runServe)(options, terminal),
};
