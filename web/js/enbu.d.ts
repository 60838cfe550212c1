/** Surroundings of an engine. */
export interface Config {
  /** Takes diagnoses; nothing of the protocol. */
  printErr?: (line: string) => void;
  /** The address of a file of the engine (`enbu.wasm`); without it, beside this file. */
  locateFile?: (path: string) => string | URL;
  /** The module, if it is compiled already. */
  module?: WebAssembly.Module;
  /** The address of this file for Workers, or what makes one of this name; without it, its own address. */
  worker?: string | URL | ((name: string) => Worker);
  /** Shares no memory with the search, even where that is possible. */
  alone?: boolean;
}

/** An engine that speaks USI. Nothing is sent after `quit` or `terminate`. */
export interface Engine {
  /** Sends a line to the engine. */
  postMessage(line: string): void;
  /** Adds a receiver of the engine's lines. */
  addMessageListener(listener: (line: string) => void): void;
  /** Removes a receiver. */
  removeMessageListener(listener: (line: string) => void): void;
  /** Ends the engine. */
  terminate(): void;
}

/** Makes an engine; rejects where the module cannot be read or no Worker can be started. */
export default function enbu(config?: Config): Promise<Engine>;

/** Reads and compiles the module. */
export function load(config?: Config): Promise<WebAssembly.Module>;
