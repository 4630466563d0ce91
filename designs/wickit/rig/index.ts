/** What surrounds an engine in simulation. */
export {
  type AccessTrace,
  type EngineCall,
  EngineHost,
  type EngineHostOptions,
  type EnginePorts,
  type EngineStream,
} from "./engine-host.ts";
