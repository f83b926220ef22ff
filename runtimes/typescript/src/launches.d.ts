/** The part of the interface of launches that does not depend on the protocol. */

/** The environment variables of a process. */
export interface LaunchEnvironment {
  /** Whether the process also inherits the client's environment. */
  inherit: boolean;
  set: { [name: string]: string };
  /** Variables that are set if the environment lacks them or has an empty value. */
  defaults: { [name: string]: string };
  /** Variables that are removed from the environment. */
  unset: string[];
}

/** How to start a process; `Payload` is the type of the payloads of requests. */
export interface BaseLaunch<Payload> {
  /** The arguments, without the program. */
  arguments: string[];
  environment: LaunchEnvironment;
  cwd: string | undefined;
  program: string | undefined;
  /** Arguments of `program` that precede `script`. */
  programArguments: string[];
  script: string | undefined;
  /** The payloads of requests to send at the start, by control. */
  requests: { [control: string]: Payload };
  /** The functions and the objects in the options that are not passed to the process. */
  functions: LaunchFunction[];
}

/** A function in the options, or an object. */
export interface LaunchFunction {
  /** Its place in the options, as a JSON Pointer. */
  place: string;
  /** The control whose requests it answers. */
  control: string | undefined;
  /** The id in a request that selects it; undefined if it answers all requests of the control. */
  id: string | undefined;
  /** The output of the process with which it is called. */
  receives: "stderr" | undefined;
  /** True for an object, which no request refers to. */
  live: true | undefined;
  function: unknown;
  /** How a process calls it. */
  row: object;
}

/** A process cannot be started with the given options. */
export declare class LaunchError extends Error {
  readonly name: "LaunchError";
  readonly code: "conflict" | "cannot_travel" | "unknown_release";
  /** JSON Pointers to the option, or to both options that conflict. */
  readonly paths: readonly string[];
  /** The first of `paths`. */
  readonly path: string;
  constructor(code: LaunchError["code"], paths: readonly string[], message: string);
}
