export type Log = {
  line(text: string): void;
  readonly fault: (fault: unknown) => void;
};

/** Logs to stderr alone, because stdout belongs to the protocol, and without `secrets`. */
export function createLog(secrets: readonly (string | undefined)[]): Log {
  const line = (text: string): void => {
    let shown = text;
    for (const secret of secrets) {
      if (secret !== undefined) shown = shown.replaceAll(secret, '[secret]');
    }
    console.error(`agent-wallet-mcp: ${shown}`);
  };
  const fault = (thrown: unknown): void =>
    line(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown));
  return { line, fault };
}
