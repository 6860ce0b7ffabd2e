import { StartError } from '../system/start-error.ts';

/**
 * Runs the body of an entry point. A StartError is printed as its sentence; any other error is a
 * bug and keeps its stack trace. Both exit with code 1.
 */
export async function runCommand(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    console.error(error instanceof StartError ? error.message : error);
    process.exit(1);
  }
}
