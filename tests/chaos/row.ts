import type { Role } from '@agent-wallet/local-system/system/app-processes.ts';
import type { ProfileName } from '../support/rpc-proxy/profiles.ts';
import type { Cast } from './world/load.ts';
import type { Copies, World } from './world/world.ts';

/** What a row does to its world while the load runs, until it is told to stop. */
export type Disturb = (
  world: World,
  cast: Cast,
  options: { readonly signal: AbortSignal; readonly seed: string },
) => Promise<void>;

/** One line of the table: a kind of fault and the world that it happens in. */
export type Row = {
  readonly name: string;
  readonly profile?: ProfileName;
  /** Every process then has two endpoints. */
  readonly secondProfile?: ProfileName;
  /** 50 when absent. */
  readonly slotTimeMs?: number;
  readonly copies?: Copies;
  readonly disturb?: Disturb;
  readonly preloads?: (processName: string, role: Role) => readonly URL[];
  readonly env?: (processName: string) => Readonly<Record<string, string>>;
  readonly feePayerKeys?: readonly string[];
  /** Share of the time, 1 when absent. */
  readonly weight?: number;
  /** How long it surely takes to rest, beyond what others do. */
  readonly restSeconds?: number;
  /** Goes on, beyond its time if it must, until so many faults were made by hand. */
  readonly leastFaults?: number;
  /** Kinds of fault of which one at least must be made. */
  readonly kinds?: readonly string[];
  /** Chosen by `--about-queue`. */
  readonly isAboutTheQueue?: boolean;
  readonly forks?: boolean;
};

/** The addresses of a row's own modules that are loaded before a process begins. */
export const preloadUrl = (name: string): URL => new URL(`preload/${name}.ts`, import.meta.url);
