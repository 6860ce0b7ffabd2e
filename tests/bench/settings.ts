import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { StartError } from '@agent-wallet/local-system/system/start-error.ts';
import { BENCH_DIR } from './reference/start-handler.ts';

export type Settings = {
  /** Ids of rows or lines; empty: all rows. */
  readonly only: readonly string[];
  readonly isQuick: boolean;
  /** Write the table into docs/performance.md. */
  readonly writesDocs: boolean;
  /** The JSON file. */
  readonly out: string;
};

/** Parses the arguments. Throws a StartError that names the wrong one. */
export function readSettings(args: readonly string[]): Settings {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        row: { type: 'string', multiple: true, default: [] },
        quick: { type: 'boolean', default: false },
        'write-docs': { type: 'boolean', default: false },
        out: { type: 'string', default: join(BENCH_DIR, 'result.json') },
      },
    });
    const only = values.row.flatMap((ids) => ids.split(','));
    if (values['write-docs'] && (only.length > 0 || values.quick)) {
      throw new RangeError('--write-docs needs a whole run, without --row and --quick.');
    }
    return {
      only,
      isQuick: values.quick,
      writesDocs: values['write-docs'],
      out: values.out,
    };
  } catch (cause) {
    throw new StartError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
