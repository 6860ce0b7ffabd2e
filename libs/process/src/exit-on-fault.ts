import { pino } from 'pino';
import { createLogger } from './logger.ts';
import { SettingsError } from './parse-settings.ts';

/**
 * Ends the process with exit code 1 on an uncaught error: with plain sentences on stderr for
 * wrong settings, and one fatal log line for any other error. The database holds all work in
 * progress, so the next start resumes it.
 */
export function exitOnFault(name: string): void {
  process.on('uncaughtException', (error) => {
    if (error instanceof SettingsError) {
      console.error(error.message);
    } else {
      // Synchronous, because the process is about to end.
      const log = createLogger({ name, level: 'fatal' }, pino.destination({ dest: 1, sync: true }));
      log.fatal({ err: error }, error.message);
    }
    process.exit(1);
  });
}
