import { Argument } from "commander";
import { once, setting } from "../options.ts";
import {
  deviceName,
  monitorAddress,
  nodeCount,
  sessionCount,
  subnet,
  udpPort,
  type ServeOptions,
} from "../../designs/clio/rig/index.ts";
import type { Verb } from "../verb.ts";

/** `mnemo serve clio`: the node as a server for programs of this machine. */
export const serveVerb: Verb = (program, { terminal, exit }) =>
  program
    .command("serve")
    .description(
      "serve the cycle-accurate node to programs of this machine, behind UDP ports or on a TAP device, until Ctrl-C",
    )
    .addArgument(new Argument("<design>", "the design to serve").choices(["clio"]))
    .addOption(setting())
    .addOption(
      once("--port <port>", "the native UDP port (0: any free one); the same as --set nativePort=...", udpPort(0)),
    )
    .addOption(
      once(
        "--sessions <number>",
        "ports of the published client that are opened at once; others follow when sessions open",
        sessionCount,
      ).default(8),
    )
    .addOption(
      once(
        "--tap <device>",
        "serve a TAP device instead of sockets: ARP, ping and every port (Linux; root, unless the device is yours)",
        deviceName,
      ),
    )
    .addOption(
      once(
        "--tap-address <ip/prefix>",
        "this machine's address on the TAP device, when it has none (default: .254 of the node's /24)",
        subnet,
      ),
    )
    .addOption(
      once(
        "--monitor <where>",
        "the published client's monitor: a port, with --tap also ip or ip:port; off for none (default: 10000, with --tap at .9)",
        monitorAddress,
      ),
    )
    .addOption(
      once(
        "--nodes <number>",
        "several nodes at addresses that follow each other, and a global controller that makes one memory of them (sockets only)",
        nodeCount,
      ).default(1),
    )
    .action(async (_design: string, options: ServeOptions) => {
      const { interrupted, runServe } = await import("../../designs/clio/rig/index.ts"),
        { runServeCluster } = await import("../../designs/clio/rig/index.ts");
      const { stop, forget } = interrupted();
      try {
        exit(await (options.nodes > 1 ? runServeCluster : runServe)(options, stop, terminal));
      } finally {
        forget();
      }
    });
