import { Option } from "commander";
import { type DesignVerb, fileName, once, setting } from "../../../shared/command-line/index.ts";
import { socketAddress } from "../../../shared/rig/index.ts";
import { parseIpv4 } from "../../../shared/wire/index.ts";
import { type SuperNicServeOptions, type TapPort, tapPort } from "./options.ts";
import { runServeSuperNic } from "./run-serve.ts";

/** `mnemo serve supernic`: the device between programs of this machine. */
export const serveVerb: DesignVerb = {
  options: () => [
    setting(),
    once(
      "--setup <file>",
      "JSON: ports, stations, users, regions, tasks, DAGs, rules",
      fileName(".json"),
    ).makeOptionMandatory(),
    once(
      "--udp <ip:port>",
      "where port 0 is, a whole Ethernet frame in each datagram; the next ports have the next numbers",
      socketAddress,
    ).default({ ip: parseIpv4("127.0.0.1"), port: 7000 }, "127.0.0.1:7000"),
    new Option(
      "--tap-port <port=device>",
      "a TAP device at a port: 0=mnemo0 or 0=mnemo0,10.20.0.11/24; this machine is the port's first station (Linux; root, unless the device is yours); may be repeated",
    )
      .argParser((text: string, before: readonly TapPort[]) => [...before, tapPort(text)])
      .default([], "none"),
    once("--capture <file>", "write every frame, with the ports as interfaces", fileName(".pcapng")),
  ],
  act: (options: SuperNicServeOptions, terminal) => runServeSuperNic(options, terminal),
};
