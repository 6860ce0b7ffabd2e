import type { Role } from '@agent-wallet/local-system/system/app-processes.ts';
import type { ProfileName } from '../support/rpc-proxy/profiles.ts';
import type { Cast } from './world/load.ts';
import type { Copies, World } from './world/world.ts';

/** Disturbs a world while the load runs, until aborted. */
export type Disturb = (
  world: World,
  cast: Cast,
  options: { readonly signal: AbortSignal; readonly seed: string },
) => Promise<void>;

/** One row of the table: a kind of fault and its world. */
export type Row = {
  readonly name: string;
  readonly profile?: ProfileName;
  /** When present, every process has two endpoints. */
  readonly secondProfile?: ProfileName;
  /** 50 when absent. */
  readonly slotTimeMs?: number;
  readonly copies?: Copies;
  readonly disturb?: Disturb;
  readonly preloads?: (processName: string, role: Role) => readonly URL[];
  readonly env?: (processName: string) => Readonly<Record<string, string>>;
  readonly feePayerKeys?: readonly string[];
  /** Names of the processes whose connections can have a silence. */
  readonly linked?: readonly string[];
  /** Relative share of the time; 1 when absent. */
  readonly weight?: number;
  /** Additional time that the row needs to come to rest. */
  readonly restSeconds?: number;
  /** Runs on, beyond its time if necessary, until its disturbance has made this many faults. */
  readonly leastFaults?: number;
  /** Kinds of fault; at least one of each must be made. */
  readonly kinds?: readonly string[];
  /** Chosen by `--about-queue`. */
  readonly isAboutTheQueue?: boolean;
  readonly forks?: boolean;
  /** The database is replaced: only then may intake close. */
  readonly restores?: boolean;
};

/** What may happen in some rows and is a finding in all others. */
export type Allowed = Pick<Row, 'forks' | 'restores'>;

/** Returns the URL of a module that a process loads first. */
export const preloadUrl = (name: string): URL => new URL(`preload/${name}.ts`, import.meta.url);
