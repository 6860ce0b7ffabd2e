/** Those whose requests a load sends: HTTP servers and the bearer keys that they know. */
export type Target = {
  /** Base URLs of copies of one server; requests take turns over them. */
  readonly urls: readonly string[];
  readonly agents: readonly Agent[];
};

/** An agent's bearer key and the recipient that it pays. */
export type Agent = { readonly apiKey: string; readonly recipient: string };

/** The agents of all wallets, so that any part of the list is spread over all wallets. */
export function inTurns(wallets: readonly Pick<Target, 'agents'>[]): readonly Agent[] {
  const most = Math.max(0, ...wallets.map(({ agents }) => agents.length));
  return Array.from({ length: most }, (_, place) =>
    wallets.flatMap(({ agents }) => agents[place] ?? []),
  ).flat();
}

/** The element of a list that the n-th request takes. Throws for an empty list. */
export function turnOf<T>(list: readonly T[], n: number): T {
  const one = list[n % list.length];
  if (one === undefined) throw new RangeError('a load needs agents and servers');
  return one;
}
