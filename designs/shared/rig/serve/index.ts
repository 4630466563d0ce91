/** What `mnemo serve` of any design is made of: options, sockets, the clock that rests, the end, the totals. */
export { interrupted, type Interrupted } from "./interrupted.ts";
export { deviceName, ipv4Address, socketAddress, type SocketAddress, type Subnet, subnet, udpPort } from "./options.ts";
export { printProblems } from "./problems.ts";
export { RestingClock, type RestingClockOptions } from "./resting-clock.ts";
export { neverServed, type Totals, totalsLine } from "./totals.ts";
export { type DatagramReceiver, UdpSockets } from "./udp-sockets.ts";
export { lingered, untilStopped } from "./until-stopped.ts";
export { FrameLog, withdrawn } from "./frame-log.ts";
export { FramePort } from "./frame-port.ts";
export { type Losses, lossesOf, type ServedNetwork } from "./network.ts";
