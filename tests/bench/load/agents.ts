/** Those whose requests a load sends: an HTTP server and the bearer keys that it knows. */
export type Target = {
  /** Base URL. */
  readonly url: string;
  readonly agents: readonly Agent[];
};

/** An agent's bearer key and the recipient that it pays. */
export type Agent = { readonly apiKey: string; readonly recipient: string };
