import { serveHealth } from '@agent-wallet/process';
import type { Registry } from 'prom-client';

/** A scrape: the value of each series, by its name with its labels as the process writes them. */
export type Scrape = { readonly text: string; readonly valueOf: (series: string) => number };

/** Reads `/metrics` at `url`. */
export async function scrape(url: string): Promise<Scrape> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const values = new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
  return {
    text,
    valueOf: (series) => {
      const value = values.get(series);
      if (value === undefined) throw new Error(`the scrape has no series ${series}`);
      return value;
    },
  };
}

/** Serves a registry as a process does, and scrapes it. */
export async function scrapeRegistry(registry: Registry): Promise<Scrape> {
  const server = await serveHealth({
    host: '127.0.0.1',
    port: 0,
    registry,
    checkReady: async () => {},
  });
  try {
    return await scrape(`http://127.0.0.1:${server.port}`);
  } finally {
    await server.close();
  }
}
