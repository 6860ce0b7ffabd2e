import { pino } from 'pino';
import { createLogger } from './logger.ts';

/**
 * What nothing caught, at start-up or later, ends the process with exit code 1 and one fatal log
 * line. Whatever was under way is in the database and goes on with the next start.
 */
export function exitOnFault(name: string): void {
  process.on('uncaughtException', (error) => {
    // Synchronous, because the process is about to end.
    const log = createLogger({ name, level: 'fatal' }, pino.destination({ dest: 1, sync: true }));
    log.fatal({ err: error }, error.message);
    process.exit(1);
  });
}
